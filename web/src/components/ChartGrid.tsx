import { fit } from "../state/run.ts";
import { LOSS, metrics } from "../state/quantities.ts";
import { example } from "../state/script.ts";
import { Chart } from "./Chart.tsx";
import { Scatter } from "./Scatter.tsx";

/** The loss, predictions against measured values for a regression, and every metric. */
export function ChartGrid() {
  const task = fit.value?.task ?? example.value.task;
  return (
    <section class="charts" aria-label="Curves" data-task={task}>
      <Chart quantity={LOSS} />
      {task === "regression" && <Scatter />}
      {metrics.value.map((quantity) => (
        <Chart key={quantity.name} quantity={quantity} />
      ))}
    </section>
  );
}
