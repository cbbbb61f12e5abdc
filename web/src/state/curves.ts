import { signal } from "@preact/signals";
import type { MetricPoint, ValidationEvent } from "../protocol.ts";

/** Points of one quantity over steps; null where one of the two was not measured at that step. */
export interface Curve {
  steps: number[];
  training: (number | null)[];
  validation: (number | null)[];
  /** Only every so many steps are kept; grows with the curve. */
  stride: number;
}

/** More than a screen has columns for, and few enough to draw within a frame. */
const MOST_POINTS = 20_000;

const emptyCurve = (): Curve => ({ steps: [], training: [], validation: [], stride: 1 });

/** Mutated in place, since they grow at every report; {@link curvesVersion} tells of a change. */
export const curves = { loss: emptyCurve(), accuracy: emptyCurve() };
export const curvesVersion = signal(0);

export function clearCurves(): void {
  curves.loss = emptyCurve();
  curves.accuracy = emptyCurve();
  curvesVersion.value += 1;
}

export function addTrainingPoints(points: MetricPoint[]): void {
  for (const { step, loss, accuracy } of points) {
    if (step % curves.loss.stride !== 0) continue;
    put(curves.loss, "training", step, loss);
    if (accuracy !== undefined) put(curves.accuracy, "training", step, accuracy);
  }
  curvesVersion.value += 1;
}

export function addValidationPoint({ step, loss, accuracy }: ValidationEvent): void {
  put(curves.loss, "validation", step, loss);
  if (accuracy !== undefined) put(curves.accuracy, "validation", step, accuracy);
  curvesVersion.value += 1;
}

/** Insert in order of steps: a validation's report may arrive before its epoch's last points. */
function put(curve: Curve, kind: "training" | "validation", step: number, value: number): void {
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

/** Drops every second step, for drawing only; those with a validation stay while they are few. */
function thin(curve: Curve): void {
  curve.stride *= 2;
  const few = curve.validation.filter((value) => value !== null).length < MOST_POINTS / 4;
  const kept = curve.steps.map((step, i) => step % curve.stride === 0 || (few && curve.validation[i] !== null));
  const keep = <T>(values: T[]) => values.filter((_, i) => kept[i]);
  curve.steps = keep(curve.steps);
  curve.training = keep(curve.training);
  curve.validation = keep(curve.validation);
}
