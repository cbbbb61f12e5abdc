import { signal } from "@preact/signals";
import type { MetricPoint, ValidationEvent } from "../../protocol.ts";
import { LOSS, metrics } from "../../state/quantities.ts";

/** One quantity over steps, for training and validation; null at steps without a value. */
export interface Curve {
  steps: number[];
  training: (number | null)[];
  validation: (number | null)[];
  /** Only every `stride`-th step is kept; grows with the curve. */
  stride: number;
}

/** More than a screen's columns, and few enough to draw within a frame. */
const MOST_POINTS = 20_000;

const curves = new Map<string, Curve>();

/** Curves are mutated in place, since they grow at every report; this signals a change. */
export const curvesVersion = signal(0);

/** The curve of a quantity by its name; empty before the first value. */
export function curveOf(quantity: string): Curve {
  let curve = curves.get(quantity);
  if (!curve) curves.set(quantity, (curve = { steps: [], training: [], validation: [], stride: 1 }));
  return curve;
}

export function clearCurves(): void {
  curves.clear();
  curvesVersion.value += 1;
}

export function addTrainingPoints(points: MetricPoint[]): void {
  for (const { name } of [LOSS, ...metrics.value]) {
    const curve = curveOf(name);
    for (const point of points) {
      if (point.step % curve.stride === 0) put(curve, "training", point.step, point[name]);
    }
  }
  curvesVersion.value += 1;
}

export function addValidationPoint(point: ValidationEvent): void {
  for (const { name } of [LOSS, ...metrics.value]) put(curveOf(name), "validation", point.step, point[name]);
  curvesVersion.value += 1;
}

/** Insert in order of steps: a validation's report may arrive before its epoch's last points. */
function put(curve: Curve, kind: "training" | "validation", step: number, value: number | undefined): void {
  if (value === undefined) return; // an event that a script sent
  let at = curve.steps.length;
  while (at > 0 && curve.steps[at - 1] >= step) at -= 1;
  if (curve.steps[at] !== step) {
    curve.steps.splice(at, 0, step);
    curve.training.splice(at, 0, null);
    curve.validation.splice(at, 0, null);
  }
  curve[kind][at] = Number.isFinite(value) ? value : null;
  if (curve.steps.length > MOST_POINTS) thin(curve);
}

/** Drops every second step, for drawing only; steps with a validation are kept while they are few. */
function thin(curve: Curve): void {
  curve.stride *= 2;
  const few = curve.validation.filter((value) => value !== null).length < MOST_POINTS / 4;
  const kept = curve.steps.map((step, i) => step % curve.stride === 0 || (few && curve.validation[i] !== null));
  const keep = <T>(values: T[]) => values.filter((_, i) => kept[i]);
  curve.steps = keep(curve.steps);
  curve.training = keep(curve.training);
  curve.validation = keep(curve.validation);
}
