import { effect, signal } from "@preact/signals";
import type { TuningEvent, TuningMode } from "../protocol.ts";

const KEY = "tabgrad.tuning";
const MODES: readonly TuningMode[] = ["background", "before", "off"];
const MOST_LINES = 200;

/** When the visitor wants kernels to be tuned; remembered. */
export const tuningMode = signal<TuningMode>(stored());

/** What the tuner does now, in words; empty while it does nothing. */
export const tuningNow = signal("");

/** How many kernels are tuned, of how many. */
export const tuningProgress = signal({ done: 0, total: 1 });

/** What it found in this run, and what it rejected, newest last. */
export const tuningLog = signal<{ text: string; bad: boolean }[]>([]);

/** Kernels whose fastest variant is known in this browser; null until Python has started. */
export const winnerCount = signal<number | null>(null);

/** Why this browser forgets winners when Python ends; empty where it keeps them. */
export const notKept = signal("");

/** What was wrong with the last imported file. */
export const importProblem = signal("");

export function takeTuningEvent(event: TuningEvent): void {
  if (event.phase === "measuring") {
    tuningNow.value = event.text;
    tuningProgress.value = { done: event.done, total: event.total };
    return;
  }
  if (event.phase === "done" || event.phase === "failed") tuningNow.value = "";
  const bad = event.phase === "rejected" || event.phase === "skipped" || event.phase === "failed";
  tuningLog.value = [...tuningLog.value, { text: event.text, bad }].slice(-MOST_LINES);
}

/** Forget the last run, before the next. */
export function clearTuning(): void {
  tuningNow.value = "";
  tuningLog.value = [];
}

export function watchTuning(): void {
  effect(() => {
    try {
      localStorage.setItem(KEY, tuningMode.value);
    } catch {
      // storage is off; the choice then lasts as long as the page
    }
  });
}

function stored(): TuningMode {
  try {
    const value = localStorage.getItem(KEY);
    return MODES.find((mode) => mode === value) ?? "background";
  } catch {
    return "background"; // as above
  }
}
