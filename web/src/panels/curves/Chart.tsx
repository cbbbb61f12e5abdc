import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { LineChart } from "./lineChart.ts";
import { curveOf, curvesVersion } from "./curves.ts";
import type { Quantity } from "../../state/quantities.ts";
import { fit } from "../../state/run.ts";
import { dark } from "../../state/theme.ts";

/** One quantity, for training and validation, with the values under the pointer or the newest. */
export function Chart({ quantity }: { quantity: Quantity }) {
  const { name, title, format, formatAxis, max } = quantity;
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<LineChart | null>(null);
  const hovered = useSignal<number | null>(null);
  const restored = useSignal(0);
  const drawing = `${dark.value} ${restored.value}`; // a new canvas for new colours or after a GPU reset
  const version = curvesVersion.value;
  const started = fit.value;

  useEffect(() => {
    if (!host.current) return;
    const onHover = (index: number | null) => (hovered.value = index);
    const onRestored = () => (restored.value += 1);
    const made = new LineChart(host.current, { format: formatAxis, max, onHover, onRestored });
    chart.current = made;
    return () => made.destroy();
  }, [drawing, name]);

  useEffect(() => {
    // At most one drawing per frame.
    const frame = requestAnimationFrame(() =>
      chart.current?.draw(curveOf(name), {
        totalSteps: started ? started.epochs * started.steps_per_epoch : 1,
        stepsPerEpoch: started?.steps_per_epoch ?? 1,
      }),
    );
    return () => cancelAnimationFrame(frame);
  }, [version, drawing, started, name]);

  const shown = (kind: "training" | "validation") => {
    const values = curveOf(name)[kind];
    const value = hovered.value === null ? values.findLast((v) => v !== null) : values[hovered.value];
    return value === null || value === undefined ? "–" : format(value);
  };
  const training = shown("training");
  const validation = shown("validation");

  return (
    <figure class="chart">
      <figcaption class="chart-head">
        <span class="panel-title" title={title}>
          {title}
        </span>
        <span class="key key-training">
          training <output class="number">{training}</output>
        </span>
        <span class="key key-validation">
          validation <output class="number">{validation}</output>
        </span>
      </figcaption>
      <div
        class="chart-host"
        ref={host}
        role="img"
        aria-label={`${title} by epoch: training ${training}, validation ${validation}`}
      />
    </figure>
  );
}
