// The worker: Python, the GPU and all training. The page only gets messages of protocol.ts.

import exampleKernels from "../../../build/kernels.json?url";
import manifest from "../../../build/pyodide/manifest.json";
import type { Info } from "../../executor/gpu.js";
import { openDatabase } from "../../python/database.js";
import { ExpectedKernels } from "../../python/kernels.js";
import { Python } from "../../python/python.js";
import { databaseWinners } from "../../python/winners.js";
import type {
  ControlMessage,
  DeviceEvent,
  FromWorker,
  StartMessage,
  TabgradEvent,
  ToWorker,
  TuningMode,
} from "../protocol.ts";
import { resolveAddresses } from "./addresses.ts";
import { downloadBundle } from "./download.ts";
import { Outbox } from "./outbox.ts";
import { firstMessage } from "./startWorker.ts";
import { threadsFor } from "./threads.ts";
import { watchErrors } from "./watchErrors.ts";

const SCRIPT_NAME = "script.py";

let starting: Promise<Python> | null = null;
let python: Python | null = null;
/** The script that runs or ran last. */
let script = "";

const database = openDatabase((reason) => post({ type: "not_kept", reason }));
const kernels = new ExpectedKernels(database, manifest.snapshotPath, fetch(exampleKernels));

/** Not the worker's default channel, which scripts can write to. */
let port: MessagePort;
const outbox = new Outbox((letter) => port.postMessage(letter));

function post(message: FromWorker): void {
  outbox.post(message);
}

void firstMessage<StartMessage>().then(begin);

function begin(message: StartMessage): void {
  port = message.port;
  port.onmessage = receive;
  if (message.lock !== null) void navigator.locks.request(message.lock, hold);
  resolveAddresses(new URL("..", message.root).href);
  starting = start(message.root, message.interrupt ?? new Uint8Array(1));
  starting.catch((error: unknown) => post({ type: "broken", message: sentence(error) }));
}

/** Keeps the lock until the worker ends. */
function hold(): Promise<never> {
  post({ type: "alive" });
  return new Promise(() => {});
}

function receive({ data }: MessageEvent<ToWorker>): void {
  switch (data.type) {
    case "ask":
      post({ type: "alive" });
      break;
    case "expect":
      kernels.compileFor(data.source).catch(() => {}); // programs compile what they need
      break;
    case "run":
      void starting?.then((ready) => run(ready, data.source, data.tuning), () => {}); // "broken" was posted
      break;
    case "file":
      void starting?.then((ready) => ready.writeFile(data.path, data.bytes), () => {});
      break;
    case "winners":
      void starting?.then((ready) => manageWinners(ready, data), () => {});
      break;
    case "control":
      deliver(data.message);
      break;
  }
}

async function start(root: string, interrupt: Uint8Array): Promise<Python> {
  const startedMs = performance.now();
  const failure = downloadBundle(root, manifest, (received, total) => {
    post({ type: "download", received, total });
    if (received >= total) post({ type: "starting" });
  });
  const started = Python.start({
    root,
    manifest,
    open: (path) => fetch(root + path),
    gpu: navigator.gpu,
    winners: databaseWinners(database),
    kernels,
    onAdapter: (adapter, reason) => tell(deviceOf(adapter, reason)),
    onEvent: (event) => tell(event as TabgradEvent),
    onOutput: (bytes) => outbox.write(bytes),
    interrupt,
    openThread: threadsFor(root, (bytes) => outbox.write(bytes)),
    onTurn: () => outbox.poll(),
  });
  const ready = await Promise.race([started, failure]);
  python = ready;
  watchErrors(() => !ready.isOver, (text) => outbox.write(new TextEncoder().encode(`${text}\n`)));
  void ready.crashed.then(({ message, traceback, line }) => post({ type: "crashed", message, traceback, line }));
  post({ type: "ready", elapsedMs: performance.now() - startedMs });
  post({ type: "winners", count: ready.countWinners() });
  return ready;
}

function tell(event: TabgradEvent): void {
  outbox.report(event);
  const isTuned = event.type === "tuning" && event.phase === "done";
  if (isTuned || (event.type === "status" && event.phase === "training")) kernels.keep(script).catch(() => {}); // the next visit waits
  if (python && isTuned) post({ type: "winners", count: python.countWinners() });
}

async function run(ready: Python, source: string, tuning: TuningMode): Promise<void> {
  if (ready.lost !== null) {
    post({ type: "lost" });
    return;
  }
  ready.setTuning(tuning);
  outbox.restart();
  script = source;
  if (/^(import|from)\s+torch\b/m.test(source)) {
    ready.installAsTorch();
    outbox.write(new TextEncoder().encode("import torch: this page runs it as tabgrad\n"));
  }
  const status = await ready.run(source, SCRIPT_NAME, []);
  post({ type: "winners", count: ready.countWinners() });
  post({ type: "done", ok: status === 0, status, lost: ready.lost });
}

function deliver(message: ControlMessage): void {
  const taken = python?.deliver(message) ?? false;
  if (message?.type === "stop") post({ type: "stopping", byTrainer: taken });
}

function manageWinners(ready: Python, message: ToWorker & { type: "winners" }): void {
  const text = message.action === "export" ? ready.exportWinners() : undefined;
  const problem = message.action === "import" ? ready.importWinners(message.text) : null;
  if (message.action === "clear") ready.clearWinners();
  post({ type: "winners", count: ready.countWinners(), text, problem });
}

/** The default device of scripts. */
function deviceOf(adapter: Info | null, reason: string | null): DeviceEvent {
  if (adapter) return { type: "device", device: "web", adapter: adapter.name, kind: adapter.kind, reason: null };
  return { type: "device", device: "reference", adapter: "NumPy", kind: "numpy", reason };
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
