import type { RunState, TabgradEvent } from "../protocol.ts";
import * as run from "../state/run.ts";
import { device } from "../state/startup.ts";
import { takeTuningEvent } from "../state/tuning.ts";

/** Keeps something of a run's events for itself, as a panel may. */
export interface EventTaker {
  /** Called for every event, after the page's own state has changed. */
  take?: (event: TabgradEvent) => void;
  /** Forgets the last run, before the next. */
  clear?: () => void;
}

const takers: EventTaker[] = [];

export function addTaker(taker: EventTaker): void {
  takers.push(taker);
}

/** Forgets the last run, before the next. */
export function clearTakers(): void {
  for (const { clear } of takers) clear?.();
}

/** Updates the page's state with one of tabgrad's events. */
export function applyEvent(event: TabgradEvent): void {
  apply(event);
  for (const { take } of takers) take?.(event);
}

function apply(event: TabgradEvent): void {
  switch (event.type) {
    case "device":
      // The worker's reason, from the browser, is clearer than Python's.
      device.value = { ...event, reason: device.value?.reason ?? event.reason };
      break;
    case "status":
      run.work.value = event;
      break;
    case "fit_start":
      run.fit.value = event;
      run.learningRate.value = event.lr;
      break;
    case "metrics":
      run.newest.value = event;
      run.step.value = event.step;
      run.learningRate.value = event.lr;
      break;
    case "validation":
      run.validation.value = event;
      break;
    case "samples":
      run.samples.value = event;
      break;
    case "state":
      run.step.value = event.step;
      applyState(event.state);
      break;
    case "tuning":
      takeTuningEvent(event);
      break;
    case "profile":
      run.profile.value = event;
      run.profiling.value = false;
      break;
    case "error":
      run.failure.value = event;
      break;
    case "pong":
    case "collector":
      break;
  }
}

function applyState(state: RunState): void {
  if (!run.busy.value) return; // from a callback of a script that has ended
  if (state === "running" || state === "paused") {
    if (run.activity.value !== "stopping") run.activity.value = state;
  } else {
    run.outcome.value = state; // the script may continue after its trainer; "done" ends the run
  }
}
