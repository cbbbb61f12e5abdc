import { formatPercent, formatValue } from "../format.ts";
import { fit } from "../state/run.ts";
import { example } from "../state/script.ts";
import { Chart } from "./Chart.tsx";
import { Scatter } from "./Scatter.tsx";

/** The loss, and beside it the accuracy or how predictions compare with what was measured. */
export function Charts() {
  const task = fit.value?.task ?? example.value.task;
  return (
    <section class="charts" aria-label="Curves" data-task={task}>
      <Chart title="Loss" quantity="loss" format={formatValue} formatAxis={formatTick} />
      {task === "regression" ? (
        <Scatter />
      ) : (
        <Chart
          title="Accuracy"
          quantity="accuracy"
          format={formatPercent}
          formatAxis={(value) => formatPercent(value, 0)}
          max={1}
        />
      )}
    </section>
  );
}

function formatTick(value: number): string {
  return String(Number(value.toPrecision(6)));
}
