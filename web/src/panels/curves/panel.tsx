import { fit } from "../../state/run.ts";
import { LOSS, metrics } from "../../state/quantities.ts";
import { example } from "../../state/script.ts";
import { Chart } from "./Chart.tsx";
import { Scatter } from "./Scatter.tsx";
import type { Panel } from "../panels.ts";
import type { TabgradEvent } from "../../protocol.ts";
import { addTrainingPoints, addValidationPoint, clearCurves } from "./curves.ts";
import "./curves.css";

export const panel: Panel = { order: 20, View: Charts, take, clear: clearCurves };

/** The loss, predictions against measured values for a regression, and every metric. */
function Charts() {
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

function take(event: TabgradEvent): void {
  if (event.type === "metrics") addTrainingPoints(event.points);
  if (event.type === "validation") addValidationPoint(event);
}
