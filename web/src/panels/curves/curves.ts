import { signal } from "@preact/signals";
import type { MetricPoint, ValidationEvent } from "../../protocol.ts";
import { LOSS, metrics } from "../../state/quantities.ts";

/** One quantity over steps, for training and validation; null at steps without a value. */
export interface Curve {
  steps: number[];
  training: (number | null)[];
  validation: (number | null)[];
  /** Only every `stride`-th step is kept, the first and the newest; grows with the curve. */
  stride: number;
}

/** More than a screen's columns: a long run takes no more memory, nor time to draw, than a short one. */
export const MOST_POINTS = 4_000;

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
    if (points.length > 0) dropPassing(curve);
    points.forEach((point, i) => {
      if (i === points.length - 1 || isKept(curve, point.step)) put(curve, "training", point.step, point[name]);
    });
  }
  curvesVersion.value += 1;
}

export function addValidationPoint(point: ValidationEvent): void {
  for (const { name } of [LOSS, ...metrics.value]) put(curveOf(name), "validation", point.step, point[name]);
  curvesVersion.value += 1;
}

/** Steps count from 1. */
function isKept({ stride }: Curve, step: number): boolean {
  return step === 1 || step % stride === 0;
}

/** The newest step is kept for as long as it is the newest. */
function dropPassing(curve: Curve): void {
  const last = curve.steps.length - 1;
  if (last < 0 || isKept(curve, curve.steps[last]) || curve.validation[last] !== null) return;
  curve.steps.pop();
  curve.training.pop();
  curve.validation.pop();
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
  const kept = curve.steps.map(
    (step, i) => isKept(curve, step) || i === curve.steps.length - 1 || (few && curve.validation[i] !== null),
  );
  const keep = <T>(values: T[]) => values.filter((_, i) => kept[i]);
  curve.steps = keep(curve.steps);
  curve.training = keep(curve.training);
  curve.validation = keep(curve.validation);
}
