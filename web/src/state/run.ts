import { computed, signal } from "@preact/signals";
import type {
  ErrorEvent,
  FitStartEvent,
  MetricsEvent,
  ProfileEvent,
  SamplesEvent,
  StatusEvent,
  ValidationEvent,
} from "../protocol.ts";

/**
 * - `queued`: Train was pressed before Python was ready
 * - `preparing`: the script runs, its trainer has not started yet
 */
export type Activity = "idle" | "queued" | "preparing" | "running" | "paused" | "stopping";

export type Outcome = "finished" | "stopped" | "failed";

export const activity = signal<Activity>("idle");
export const outcome = signal<Outcome | null>(null);
export const work = signal<StatusEvent | null>(null);
export const fit = signal<FitStartEvent | null>(null);
export const step = signal(0);
export const newest = signal<MetricsEvent | null>(null);
export const validation = signal<ValidationEvent | null>(null);
export const samples = signal<SamplesEvent | null>(null);
export const profile = signal<ProfileEvent | null>(null);
/** A profile was requested and has not arrived. */
export const profiling = signal(false);
export const failure = signal<ErrorEvent | null>(null);
/** The current learning rate; null until a script has set one. */
export const learningRate = signal<number | null>(null);
/** Stopping takes long: offer to end Python. */
export const stuck = signal(false);

/** A script is waiting or running. */
export const busy = computed(() => activity.value !== "idle");

/** Resets the state before the next run. */
export function clearRun(): void {
  outcome.value = null;
  work.value = null;
  fit.value = null;
  step.value = 0;
  newest.value = null;
  validation.value = null;
  samples.value = null;
  profile.value = null;
  profiling.value = false;
  failure.value = null;
  learningRate.value = null;
  stuck.value = false;
}
