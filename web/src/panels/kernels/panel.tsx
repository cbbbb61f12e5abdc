import { PROFILED_STEPS, profileSteps } from "../../engine/engine.ts";
import { formatMs, formatPercent, formatUs } from "../../format.ts";
import type { KernelTime, ProfileEvent } from "../../protocol.ts";
import { saveFile } from "../../saveFile.ts";
import { activity, profile, profiling } from "../../state/run.ts";
import type { Panel } from "../panels.ts";
import "./kernels.css";

export const panel: Panel = { order: 40, View: Kernels };

const MOST_SHOWN = 10;

/** The profile of a step by kernel, on the visitor's request. */
function Kernels() {
  const taken = profile.value;
  return (
    <section class="kernels" aria-labelledby="kernels-title">
      <header class="kernels-head">
        <h2 class="panel-title" id="kernels-title">
          Kernels
        </h2>
        <span class="muted kernels-caption" role="status">
          {caption(taken)}
        </span>
        {taken && (
          <button
            type="button"
            class="link"
            title="For ui.perfetto.dev or chrome://tracing"
            onClick={() => saveFile("tabgrad-trace.json", [taken.trace], "application/json")}
          >
            Download trace
          </button>
        )}
        <ProfileButton />
      </header>
      {taken && taken.kernels.length > 0 && <KernelTable kernels={taken.kernels} />}
      {taken?.note && <p class="muted kernels-note">{taken.note}</p>}
    </section>
  );
}

function ProfileButton() {
  const possible = activity.value === "running" || activity.value === "paused";
  const waiting = profiling.value;
  return (
    <button
      type="button"
      class="button button-small"
      disabled={!possible}
      aria-disabled={waiting}
      title={`Times the kernels of the next ${PROFILED_STEPS} steps`}
      onClick={waiting ? undefined : profileSteps}
    >
      {waiting ? "Profiling…" : "Profile"}
    </button>
  );
}

function caption(taken: ProfileEvent | null): string {
  if (profiling.value) {
    const then = activity.value === "paused" ? ", which wait for Resume or Step" : "";
    return `the next ${PROFILED_STEPS} steps${then}`;
  }
  if (!taken) return "where the time of a step goes";
  const times = [
    taken.gpu_ms == null ? "" : `${formatMs(taken.gpu_ms)} in kernels`,
    taken.wall_ms == null ? "" : `${formatMs(taken.wall_ms)} in all`,
  ].filter(Boolean);
  return `${taken.steps} ${taken.steps === 1 ? "step" : "steps"}${times.length ? `, each ${times.join(", ")}` : ""}`;
}

function KernelTable({ kernels }: { kernels: KernelTime[] }) {
  const shown = kernels.slice(0, MOST_SHOWN);
  const rest = kernels.slice(MOST_SHOWN);
  return (
    <div class="kernel-scroll">
      <table class="kernel-table number">
        <thead>
          <tr>
            <th scope="col">Kernel</th>
            <th scope="col">Mean</th>
            <th scope="col">Share</th>
            <th scope="col">GFLOP/s</th>
            <th scope="col">GB/s</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((kernel, i) => (
            <tr key={i}>
              <th scope="row" title={kernel.variant || undefined}>
                {kernel.label}
              </th>
              <td>{formatUs(kernel.mean_us)}</td>
              <td class="kernel-share" style={{ "--share": String(kernel.share / (shown[0]?.share || 1)) }}>
                {formatPercent(kernel.share, 1)}
              </td>
              <td>{rate(kernel.gflops_per_s)}</td>
              <td>{rate(kernel.gbytes_per_s)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest.length > 0 && (
        <p class="muted kernels-note">
          {rest.length} more with {formatPercent(rest.reduce((sum, kernel) => sum + kernel.share, 0), 1)}
        </p>
      )}
    </div>
  );
}

/** `–` if the measured time is 0. */
function rate(value: number | null | undefined): string {
  if (value == null) return "–";
  return value.toFixed(value >= 100 ? 0 : value >= 0.1 ? 1 : 2);
}
