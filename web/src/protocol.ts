// Everything that the page and its worker say to each other, and all that tabgrad reports.

// tabgrad -> page, from tabgrad.train.events. Times are in ms unless the name says otherwise.

export type DeviceName = "web" | "native" | "reference";
export type AdapterKind = "gpu" | "software" | "numpy";
export type RunState = "running" | "paused" | "stopped" | "finished" | "failed";

export interface DeviceEvent {
  type: "device";
  device: DeviceName;
  adapter: string;
  kind: AdapterKind;
  /** Why it is not WebGPU, as a clause. */
  reason?: string | null;
}

export type StatusEvent =
  | { type: "status"; phase: "compiling"; done: number; total: number }
  | { type: "status"; phase: "training" | "validating" | "saving" };

export interface FitStartEvent {
  type: "fit_start";
  epochs: number;
  steps_per_epoch: number;
  train_samples: number;
  val_samples?: number | null;
  parameters: number;
  batch_size: number;
  metrics: string[];
  lr: number;
  task: "classification" | "regression";
}

export interface MetricPoint {
  step: number;
  epoch: number;
  loss: number;
  accuracy?: number;
}

export interface MetricsEvent {
  type: "metrics";
  points: MetricPoint[];
  step_ms: number;
  samples_per_s: number;
  host_ms: number;
  gpu_ms?: number | null;
  lr: number;
  step: number;
  total_steps: number;
  eta_s: number;
}

export interface ValidationEvent {
  type: "validation";
  step: number;
  epoch: number;
  loss: number;
  accuracy?: number;
}

export interface SampleItem {
  /** Row by row, 0 black to 1 white; null where a sample is no image. */
  pixels?: number[] | null;
  label: number;
  prediction: number;
  probability?: number | null;
}

export interface SamplesEvent {
  type: "samples";
  shape?: [height: number, width: number] | null;
  items: SampleItem[];
}

/** What the tuner of kernels does beside the training, in words and in numbers. */
export type TuningEvent = { type: "tuning"; text: string } & (
  | { phase: "measuring"; kernel: string; done: number; total: number }
  | { phase: "found"; kernel: string; variant: string; before_ms: number; ms: number }
  | { phase: "rejected"; variant: string; kernel?: string; reason?: string }
  | { phase: "skipped"; kernel?: string; reason?: string }
  | { phase: "failed" }
  | { phase: "done"; done: number; left: number }
);

export type TuningMode = "off" | "background" | "before";

/** One kernel, over all profiled steps. */
export interface KernelTime {
  label: string;
  /** The template and its numbers; empty where nothing is rendered. */
  variant: string;
  calls: number;
  mean_us: number;
  /** Of all kernels' time, 0 to 1. */
  share: number;
  /** Null where the time reads as 0. */
  gflops_per_s?: number | null;
  gbytes_per_s?: number | null;
}

export interface ProfileEvent {
  type: "profile";
  device: DeviceName;
  steps: number;
  /** In kernels, per step; null where the adapter keeps no time. */
  gpu_ms?: number | null;
  /** Between the starts of two steps; null of a single one. */
  wall_ms?: number | null;
  /** The one with the most time first. */
  kernels: KernelTime[];
  /** What limits the numbers, in sentences; may be empty. */
  note: string;
  /** All of this as text. */
  table: string;
  /** JSON in Chrome's trace event format. */
  trace: string;
}

export interface ErrorEvent {
  type: "error";
  message: string;
  traceback: string;
  /** Of the user's script, counted from 1. */
  line?: number | null;
}

export type TabgradEvent =
  | DeviceEvent
  | StatusEvent
  | FitStartEvent
  | MetricsEvent
  | ValidationEvent
  | SamplesEvent
  | TuningEvent
  | ProfileEvent
  | ErrorEvent
  | { type: "state"; state: RunState; step: number }
  | { type: "pong"; id: unknown; step: number }
  | { type: "collector"; name: string; values: Record<string, unknown> };

// page -> tabgrad, through tabgrad.train.control

export type ControlMessage =
  | { type: "pause" }
  | { type: "resume" }
  | { type: "step" }
  | { type: "stop" }
  | { type: "set_lr"; lr: number }
  /** Times the kernels of the next training steps. */
  | { type: "profile"; steps: number }
  | { type: "ping"; id: unknown };

// page -> worker

/** The first message; all others come and go through its port, which scripts cannot reach. */
export interface StartMessage {
  type: "start";
  root: string;
  port: MessagePort;
  /** The worker holds this lock as long as it lives; null where there are no locks. */
  lock: string | null;
  /** Shared memory, where the page has it: a 2 in it interrupts a script that does not listen. */
  interrupt: Uint8Array | null;
}

export type ToWorker =
  /** To be answered with "alive". */
  | { type: "ask" }
  | { type: "run"; source: string; tuning: TuningMode }
  | { type: "winners"; action: "export" | "clear" }
  | { type: "winners"; action: "import"; text: string }
  | { type: "file"; path: string; bytes: Uint8Array }
  | { type: "control"; message: ControlMessage };

/** What a flood of prints left out, before a text. */
export interface Omitted {
  lines: number;
  bytes: number;
}

// worker -> page, in arrays

export type FromWorker =
  /** Bytes of the Python bundle that have arrived. */
  | { type: "download"; received: number; total: number }
  /** All is downloaded; Python is starting. */
  | { type: "starting" }
  | { type: "ready"; elapsedMs: number }
  /** The worker lives, and holds its lock. */
  | { type: "alive" }
  /** Python could not start; a sentence. */
  | { type: "broken"; message: string }
  | { type: "event"; event: TabgradEvent }
  /** What the script wrote, on either stream: part of a line, a line, or many. */
  | { type: "output"; text: string; omitted: Omitted }
  /** Stop was heard. A trainer ends the run after its step; else the script is interrupted. */
  | { type: "stopping"; byTrainer: boolean }
  /** How many winners of kernel tuning are held; with a file of them where it was asked for. */
  | { type: "winners"; count: number; text?: string; problem?: string | null }
  /** Winners last only as long as this Python, and why. */
  | { type: "not_kept"; reason: string }
  /** The GPU went away while nothing ran: the script was not begun, a new worker can run it. */
  | { type: "lost" }
  /** The script has ended, well if its exit status is 0; `lost` says why the GPU is gone, if it is: only a new worker gets it back. */
  | { type: "done"; ok: boolean; status: number; lost: string | null }
  /** Python itself has ended, in the middle of a script or after one: only a new worker can run the next. */
  | { type: "crashed"; message: string; traceback: string; line: number | null };
