import type { SampleItem } from "../../protocol.ts";
import { formatPercent } from "../../format.ts";
import { fit, samples } from "../../state/run.ts";
import { example } from "../../state/script.ts";
import { DigitImage } from "./DigitImage.tsx";
import type { Panel } from "../panels.ts";
import "./predictions.css";

export const panel: Panel = { order: 30, View: Samples };

const MOST_SHOWN = 24;

/** The model's current predictions for some validation samples; for a regression, a scatter plot. */
function Samples() {
  const shown = samples.value;
  const task = fit.value?.task ?? example.value.task;
  if (task === "regression") return null;
  return (
    <section class="samples" aria-labelledby="samples-title">
      <header class="samples-head">
        <h2 class="panel-title" id="samples-title">
          Predictions
        </h2>
        <span class="muted">{caption(shown?.items ?? [])}</span>
      </header>
      {shown && (
        <ul class="sample-grid">
          {shown.items.slice(0, MOST_SHOWN).map((item, i) => (
            <Sample key={i} item={item} shape={shown.shape ?? null} />
          ))}
        </ul>
      )}
    </section>
  );
}

function caption(items: SampleItem[]): string {
  if (items.length === 0) return "on samples held out from training, after each epoch";
  const some = items.slice(0, MOST_SHOWN);
  const wrong = some.filter((item) => item.prediction !== item.label).length;
  return wrong === 0 ? `all ${some.length} right` : `${wrong} of ${some.length} wrong`;
}

function Sample({ item, shape }: { item: SampleItem; shape: [number, number] | null }) {
  const right = item.prediction === item.label;
  const sure = item.probability == null ? "" : ` (${formatPercent(item.probability, 0)})`;
  const words = right
    ? `${item.label}, predicted right${sure}`
    : `predicted ${item.prediction}${sure}, is ${item.label}`;
  return (
    <li class="sample" data-right={right} title={words}>
      {item.pixels && shape && <DigitImage pixels={item.pixels} shape={shape} />}
      <span class="sample-label number" aria-label={words}>
        {item.prediction}
        {!right && <s>{item.label}</s>}
      </span>
    </li>
  );
}
