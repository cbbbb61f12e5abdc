import { samples } from "../../state/run.ts";

/** Predictions against measured values; they agree on the diagonal. */
export function Scatter() {
  const items = (samples.value?.items ?? []).filter(({ prediction }) => Number.isFinite(prediction));
  const values = items.flatMap(({ label, prediction }) => [label, prediction]);
  const low = Math.min(...values);
  const span = Math.max(...values) - low || 1;
  const place = (value: number) => `${2 + (96 * (value - low)) / span}%`;
  const placeUp = (value: number) => `${98 - (96 * (value - low)) / span}%`;
  return (
    <figure class="chart">
      <figcaption class="chart-head">
        <span class="panel-title">Predictions</span>
        <span class="muted">{items.length ? "on the line is right" : "after each epoch"}</span>
      </figcaption>
      <div class="chart-host scatter">
        <svg role="img" aria-label={`${items.length} predictions against measured values`}>
          <rect class="scatter-frame" width="100%" height="100%" />
          <line class="scatter-line" x1="0" y1="100%" x2="100%" y2="0" />
          {items.map(({ label, prediction }, i) => (
            <circle key={i} class="scatter-point" cx={place(label)} cy={placeUp(prediction)} r="3.5" />
          ))}
        </svg>
        <span class="scatter-x">measured</span>
        <span class="scatter-y">predicted</span>
      </div>
    </figure>
  );
}
