import { clearWinners, exportWinners, importWinners } from "../../engine/engine.ts";
import { formatCount } from "../../format.ts";
import type { TuningMode } from "../../protocol.ts";
import { device } from "../../state/startup.ts";
import { importProblem, notKept, tuningLog, tuningMode, tuningNow, winnerCount } from "../../state/tuning.ts";
import type { Panel } from "../panels.ts";
import "./tuning.css";

export const panel: Panel = { order: 50, View: Tuning };

/** The mode of kernel tuning, its results in this run, and the results stored in this browser. */
function Tuning() {
  if (device.value?.device === "reference") return null;
  return (
    <section class="tuning" aria-labelledby="tuning-title">
      <header class="tuning-head">
        <h2 class="panel-title" id="tuning-title">
          Kernel tuning
        </h2>
        <div class="select tuning-mode">
          <select
            aria-label="When kernels are tuned"
            value={tuningMode.value}
            onChange={(event) => (tuningMode.value = event.currentTarget.value as TuningMode)}
          >
            <option value="background">while training</option>
            <option value="before">before the first step</option>
            <option value="off">off</option>
          </select>
        </div>
        <span class="tuning-now muted" title={tuningNow.value || undefined}>
          {tuningNow.value || summary()}
        </span>
      </header>
      {notKept.value && (
        <p class="tuning-problem" role="note">
          Tuning results last for this session only, because {notKept.value}.
        </p>
      )}
      <Log />
      <Winners />
    </section>
  );
}

function summary(): string {
  if (tuningMode.value === "off") return "equal runs give equal bits";
  const known = winnerCount.value;
  return known ? `${formatCount(known)} kernels known in this browser` : "nothing measured yet";
}

function Log() {
  const lines = tuningLog.value;
  if (lines.length === 0) return null;
  return (
    <ul class="tuning-log number" tabIndex={0} aria-label="What tuning found">
      {lines.map(({ text, bad }, i) => (
        <li key={i} data-bad={bad}>
          {text}
        </li>
      ))}
    </ul>
  );
}

/** The results as a file, for other browsers with the same GPU. */
function Winners() {
  const none = !winnerCount.value;
  return (
    <div class="tuning-buttons">
      <label class="link">
        Import…
        <input
          class="visually-hidden"
          type="file"
          accept="application/json,.json"
          aria-label="Import tuning results"
          onChange={(event) => void take(event.currentTarget)}
        />
      </label>
      <button type="button" class="link" disabled={none} onClick={exportWinners}>
        Export
      </button>
      <button type="button" class="link" disabled={none} onClick={clearWinners}>
        Forget
      </button>
      {importProblem.value && <p class="tuning-problem">{importProblem.value}</p>}
    </div>
  );
}

async function take(input: HTMLInputElement): Promise<void> {
  const file = input.files?.[0];
  if (!file) return;
  try {
    importWinners(await file.text());
  } catch {
    importProblem.value = `${file.name} could not be read; choose it again`;
  }
  input.value = ""; // the same file may be chosen again
}
