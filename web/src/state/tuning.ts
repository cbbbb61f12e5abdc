import { effect, signal } from "@preact/signals";
import type { TuningEvent, TuningMode } from "../protocol.ts";

const KEY = "tabgrad.tuning";
const MODES: readonly TuningMode[] = ["background", "before", "off"];
const MOST_LINES = 200;

/** The visitor's mode of kernel tuning; stored in the browser. */
export const tuningMode = signal<TuningMode>(stored());

/** The tuner's current work, in words; empty if there is none. */
export const tuningNow = signal("");

/** The number of tuned kernels, and of all kernels. */
export const tuningProgress = signal({ done: 0, total: 1 });

/** The variants that were found or rejected in this run, newest last. */
export const tuningLog = signal<{ text: string; bad: boolean }[]>([]);

/** Number of kernels with a stored fastest variant; null until Python has started. */
export const winnerCount = signal<number | null>(null);

/** Why winners are lost when Python ends; empty if the browser stores them. */
export const notKept = signal("");

/** The defect of the last imported file. */
export const importProblem = signal("");

export function takeTuningEvent(event: TuningEvent): void {
  if (event.phase === "measuring") {
    tuningNow.value = event.text;
    tuningProgress.value = { done: event.done, total: event.total };
    return;
  }
  if (event.phase === "done" || event.phase === "failed") tuningNow.value = "";
  const bad = event.phase === "rejected" || event.phase === "skipped" || event.phase === "failed";
  tuningLog.value = [...tuningLog.value, { text: event.text, bad }].slice(-MOST_LINES);
}

/** Resets the state before the next run. */
export function clearTuning(): void {
  tuningNow.value = "";
  tuningLog.value = [];
}

export function watchTuning(): void {
  effect(() => {
    try {
      localStorage.setItem(KEY, tuningMode.value);
    } catch {
      // without storage, the choice lasts until the page closes
    }
  });
}

function stored(): TuningMode {
  try {
    const value = localStorage.getItem(KEY);
    return MODES.find((mode) => mode === value) ?? "background";
  } catch {
    return "background"; // as above
  }
}
