// The quantities of a run: the loss, and the metrics of its script.

import { computed } from "@preact/signals";
import { formatPercent, formatValue } from "../format.ts";
import { fit } from "./run.ts";
import { example } from "./script.ts";

/** How a quantity is shown. Names come from scripts: they are text, of any length. */
export interface Quantity {
  name: string;
  title: string;
  format: (value: number) => string;
  formatAxis: (value: number) => string;
  /** Upper end of its axis, if it has one. */
  max?: number;
}

export const LOSS: Quantity = { ...plain("loss"), title: "Loss" };

const ACCURACY: Quantity = {
  name: "accuracy",
  title: "Accuracy",
  format: formatPercent,
  formatAxis: (value) => formatPercent(value, 0),
  max: 1,
};

/** The metrics of the run; before its first report, those of the example. */
export const metrics = computed((): Quantity[] => {
  const expected = example.value.task === "classification" ? [ACCURACY.name] : [];
  const names = fit.value?.metrics.filter((name) => name !== LOSS.name) ?? expected;
  return names.map((name) => (name === ACCURACY.name ? ACCURACY : plain(name)));
});

function plain(name: string): Quantity {
  return { name, title: name, format: formatValue, formatAxis: (value) => String(Number(value.toPrecision(6))) };
}
