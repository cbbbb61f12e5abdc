import { formatCount, formatMs, formatValue } from "../../format.ts";
import { LOSS, metrics } from "../../state/quantities.ts";
import { newest, validation } from "../../state/run.ts";
import { LearningRate } from "./LearningRate.tsx";
import type { Panel } from "../panels.ts";
import "./figures.css";

export const panel: Panel = { order: 10, View: Figures };

/** The newest measurements as figures. */
function Figures() {
  const measured = newest.value;
  const held = validation.value;
  const judged = metrics.value.length > 0 ? metrics.value : [LOSS];
  return (
    <div class="figures">
      {judged.map(({ name, format }) => (
        <Figure key={name} name={`Validation ${name}`} value={held?.[name] === undefined ? null : format(held[name])} />
      ))}
      <Figure name="Loss" value={measured ? formatValue(measured.points.at(-1)?.loss ?? Number.NaN) : null} />
      <Figure name="Step time" value={measured ? formatMs(measured.step_ms) : null} note={split(measured)} />
      <Figure name="Samples per second" value={measured ? formatCount(measured.samples_per_s) : null} />
      <LearningRate />
    </div>
  );
}

/** The parts of a step's time, if they were measured. */
function split(measured: typeof newest.value): string {
  if (!measured) return "";
  const gpu = measured.gpu_ms ? `, GPU ${formatMs(measured.gpu_ms)}` : "";
  return `Python ${formatMs(measured.host_ms)}${gpu}`;
}

function Figure({ name, value, note }: { name: string; value: string | null; note?: string }) {
  return (
    <div class="figure" title={note || undefined}>
      <span class="figure-name" title={name}>
        {name}
      </span>
      <output class="figure-value number" data-empty={value === null}>
        {value ?? "–"}
      </output>
    </div>
  );
}
