import { computed } from "@preact/signals";
import { formatBytes, formatCount, formatDuration } from "../format.ts";
import { activity, fit, newest, outcome, step, work } from "./run.ts";
import { startup } from "./startup.ts";
import { tuningNow, tuningProgress } from "./tuning.ts";

export interface Status {
  /** The current activity, in a few words. */
  label: string;
  detail: string;
  /** Progress from 0 to 1; null if unknown. */
  progress: number | null;
  tone: "calm" | "active" | "bad";
}

/** The line that says what the page is doing. */
export const status = computed<Status>(() => {
  switch (activity.value) {
    case "idle":
      return outcome.value && startup.value.kind === "ready" ? ended() : starting("");
    case "queued":
      return starting("training follows");
    case "stopping":
      return { label: "Stopping", detail: position(), progress: fraction(), tone: "active" };
    case "paused":
      return { label: "Paused", detail: position(), progress: fraction(), tone: "calm" };
    case "preparing":
    case "running":
      return working();
  }
});

function starting(then: string): Status {
  const join = (text: string) => [text, then].filter(Boolean).join(" · ");
  const now = startup.value;
  switch (now.kind) {
    case "downloading": {
      const progress = now.total ? now.received / now.total : 0;
      const size = now.total ? ` of ${formatBytes(now.total)}` : "";
      const detail = join(`${Math.floor(100 * progress)} %${size}`);
      return { label: "Downloading Python", detail, progress, tone: "active" };
    }
    case "starting":
      return { label: "Starting Python", detail: then, progress: null, tone: "active" };
    case "ready":
      return {
        label: "Ready",
        detail: `Python started in ${(now.elapsedMs / 1000).toFixed(1)} s`,
        progress: 0,
        tone: "calm",
      };
    case "broken":
      return { label: "Python could not start", detail: "", progress: 0, tone: "bad" };
  }
}

function working(): Status {
  const now = work.value;
  if (now?.phase === "compiling" && now.done < now.total) {
    const detail = `${now.done} of ${now.total}`;
    return { label: "Compiling kernels", detail, progress: now.done / now.total, tone: "active" };
  }
  if (!fit.value) return { label: "Running the script", detail: "", progress: null, tone: "active" };
  if (!now) return { label: "Recording a training step", detail: "", progress: null, tone: "active" };
  if (!newest.value && tuningNow.value) {
    const { done, total } = tuningProgress.value;
    return { label: "Tuning kernels", detail: `${done + 1} of ${total}`, progress: done / total, tone: "active" };
  }
  const left = newest.value && Number.isFinite(newest.value.eta_s) ? newest.value.eta_s : null;
  const eta = left === null ? "" : ` · ${formatDuration(left)} left`;
  const label = { validating: "Validating", saving: "Saving", training: "Training", compiling: "Training" };
  return {
    label: label[now?.phase ?? "training"],
    detail: position() + eta,
    progress: fraction(),
    tone: "active",
  };
}

function ended(): Status {
  const steps = step.value ? `after ${formatCount(step.value)} steps` : "";
  switch (outcome.value) {
    case "finished":
      return { label: "Finished", detail: steps, progress: 1, tone: "calm" };
    case "stopped":
      return { label: "Stopped", detail: steps, progress: fraction(), tone: "calm" };
    default:
      return { label: "The script failed", detail: steps, progress: fraction(), tone: "bad" };
  }
}

function totalSteps(): number {
  return fit.value ? fit.value.epochs * fit.value.steps_per_epoch : 0;
}

function fraction(): number {
  return totalSteps() ? step.value / totalSteps() : 0;
}

/** `epoch 4 of 12 · step 83 of 276` */
function position(): string {
  if (!fit.value) return "";
  const { epochs, steps_per_epoch: perEpoch } = fit.value;
  const epoch = Math.min(epochs, Math.floor(Math.max(0, step.value - 1) / perEpoch) + 1);
  return `epoch ${epoch} of ${epochs} · step ${formatCount(step.value)} of ${formatCount(totalSteps())}`;
}
