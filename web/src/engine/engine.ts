// The page's connection to the worker: starts it, sends it requests, handles its messages.

import { batch, effect } from "@preact/signals";
import type { ControlMessage, ErrorEvent, FromWorker, StartMessage, ToWorker } from "../protocol.ts";
import * as run from "../state/run.ts";
import { exampleId, source } from "../state/script.ts";
import { device, startup } from "../state/startup.ts";
import { clearTuning, importProblem, notKept, tuningMode, tuningNow, winnerCount } from "../state/tuning.ts";
import { addOutput, clearOutput } from "../state/output.ts";
import { saveFile } from "../saveFile.ts";
import { applyEvent, clearTakers } from "./events.ts";
import { Stopping } from "./stopping.ts";
import { Watch } from "./watch.ts";
import { createWorker } from "./createWorker.ts";

const SIGINT = 2;
export const PROFILED_STEPS = 16;

let worker: Worker | null = null;
let port: MessagePort | null = null;
let watch: Watch | null = null;
let stopping: Stopping | null = null;
let stopExpecting = (): void => {};
/** Shared with the worker if the page is cross-origin isolated, which the server's headers decide. */
const interruptBuffer = globalThis.crossOriginIsolated ? new Uint8Array(new SharedArrayBuffer(1)) : null;
const files = new Map<string, Uint8Array>();
const listeners = new Set<(message: FromWorker) => void>();

/** Starts to download and start Python; call it as early as possible. */
export function startPython(): void {
  endPython();
  const { port1, port2 } = new MessageChannel();
  worker = createWorker();
  worker.onerror = (event) => {
    startup.value = { kind: "broken", message: event.message || "the worker could not be loaded" };
    run.activity.value = "idle";
  };
  port = port1;
  port.onmessage = ({ data }: MessageEvent<FromWorker[]>) => take(data);
  watch = new Watch({
    ask: () => send({ type: "ask" }),
    gone: () => take([{ type: "crashed", message: "Python's worker was closed", traceback: "", line: null }]),
    silent: () => (run.stuck.value = run.busy.value),
  });
  startup.value = { kind: "downloading", received: 0, total: 0 };
  device.value = null;
  const root = new URL("pyodide/", document.baseURI).href;
  const start: StartMessage = { type: "start", root, port: port2, lock: watch.lock, interrupt: interruptBuffer };
  worker.postMessage(start, [port2]);
  stopExpecting = effect(() => {
    void exampleId.value; // not at each edit
    send({ type: "expect", source: source.peek() });
  });
  for (const [path, bytes] of files) send({ type: "file", path, bytes });
}

function endPython(): void {
  stopExpecting();
  stopping?.over();
  stopping = null;
  watch?.end();
  port?.close(); // its last messages are ignored
  worker?.terminate();
}

function take(letter: FromWorker[]): void {
  batch(() => letter.forEach(receive));
  for (const message of letter) for (const listener of listeners) listener(message);
}

/** Runs the script in the editor when Python is ready; restarts Python if its start failed. */
export function train(): void {
  if (run.busy.value) return;
  if (startup.value.kind === "broken") startPython();
  run.clearRun();
  clearOutput();
  clearTakers();
  clearTuning();
  run.activity.value = "queued";
  runIfReady();
}

export function control(message: ControlMessage): void {
  send({ type: "control", message });
}

export function stop(): void {
  if (run.activity.value === "queued") {
    run.activity.value = "idle";
    return;
  }
  run.activity.value = "stopping";
  control({ type: "stop" });
  stopping = new Stopping({ interrupt, end: forceStop, offer: () => (run.stuck.value = true) });
}

function interrupt(): boolean {
  interruptBuffer?.fill(SIGINT);
  return interruptBuffer !== null;
}

/** Ends Python, for a script that ignores Stop, and restarts it from the cache. */
export function forceStop(): void {
  endRun("stopped");
  startPython();
}

export function setLearningRate(lr: number): void {
  run.learningRate.value = lr;
  control({ type: "set_lr", lr });
}

/** Requests a profile of the next steps. */
export function profileSteps(): void {
  run.profiling.value = true;
  control({ type: "profile", steps: PROFILED_STEPS });
}

/** Writes a file for scripts; kept, in case Python restarts. */
export function provideFile(path: string, bytes: Uint8Array): void {
  files.set(path, bytes);
  send({ type: "file", path, bytes });
}

/** Requests this browser's winners of kernel tuning, which are then saved as a file. */
export function exportWinners(): void {
  send({ type: "winners", action: "export" });
}

export function importWinners(text: string): void {
  send({ type: "winners", action: "import", text });
}

export function clearWinners(): void {
  send({ type: "winners", action: "clear" });
}

/** Calls a listener for every message of the worker, after the page; returns a function that removes it. */
export function listen(listener: (message: FromWorker) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function send(message: ToWorker): void {
  port?.postMessage(message);
}

function runIfReady(): void {
  if (startup.value.kind !== "ready" || run.activity.value !== "queued") return;
  run.activity.value = "preparing";
  interruptBuffer?.fill(0); // drops an interrupt that came too late for the last script
  send({ type: "run", source: source.value, tuning: tuningMode.value });
}

function receive(message: FromWorker): void {
  switch (message.type) {
    case "download":
      if (startup.value.kind === "downloading") startup.value = { ...message, kind: "downloading" };
      break;
    case "starting":
      if (startup.value.kind === "downloading") startup.value = { kind: "starting" };
      break;
    case "ready":
      startup.value = { kind: "ready", elapsedMs: message.elapsedMs };
      runIfReady();
      break;
    case "alive":
      watch?.alive();
      break;
    case "broken":
      startup.value = { kind: "broken", message: message.message };
      run.activity.value = "idle";
      break;
    case "event":
      applyEvent(message.event);
      break;
    case "output":
      addOutput(message.text, message.omitted);
      stopping?.printed(message.text);
      break;
    case "stopping":
      stopping?.heard(message.byTrainer);
      break;
    case "winners":
      winnerCount.value = message.count;
      importProblem.value = message.problem ?? "";
      if (message.text !== undefined) {
        saveFile("tabgrad-tuning.json", [message.text], "application/json");
      }
      break;
    case "not_kept":
      notKept.value = message.reason;
      break;
    case "lost":
      run.activity.value = "queued";
      startPython();
      break;
    case "done":
      if (!message.ok) run.failure.value ??= failure(`the script ended itself with exit status ${message.status}`);
      endRun(message.ok ? (run.outcome.value ?? (stopping ? "stopped" : "finished")) : "failed");
      if (message.lost !== null) startPython();
      break;
    case "crashed":
      takeCrash(message);
      break;
  }
}

/** Python has ended; restarts it from the cache, unless it ended during its start. */
function takeCrash({ message, traceback, line }: FromWorker & { type: "crashed" }): void {
  if (startup.value.kind !== "ready") {
    endPython();
    startup.value = { kind: "broken", message };
    run.activity.value = "idle";
    return;
  }
  if (run.busy.value) {
    run.failure.value = failure(`${message}. Python restarts and can train again.`, traceback, line);
    endRun("failed");
  }
  startPython();
}

function failure(message: string, traceback = "", line: number | null = null): ErrorEvent {
  return { type: "error", message, traceback, line };
}

function endRun(outcome: run.Outcome): void {
  stopping?.over();
  stopping = null;
  run.activity.value = "idle";
  run.outcome.value = outcome;
  run.work.value = null;
  tuningNow.value = "";
  run.stuck.value = false;
  run.profiling.value = false;
}
