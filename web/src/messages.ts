// Written by build_scripts/message_types.py from py_core/tabgrad/messages.

// The events that tabgrad sends. Times are in ms unless the name says otherwise.

export type AdapterKind = "gpu" | "software" | "numpy";

export type RunState = "running" | "paused" | "stopped" | "finished" | "failed";

export type Task = "classification" | "regression";

/** The device that a run uses. */
export interface DeviceEvent {
  type: "device";
  device: string;
  adapter: string;
  kind: AdapterKind;
  /** The reason why it is not WebGPU, as a clause. */
  reason: string | null;
}

/** Kernels are compiled. */
export interface CompilingEvent {
  type: "status";
  phase: "compiling";
  done: number;
  total: number;
}

/** What a run does from now on. */
export interface PhaseEvent {
  type: "status";
  phase: "training" | "validating" | "saving";
}

export type StatusEvent = CompilingEvent | PhaseEvent;

/** A run starts. */
export interface FitStartEvent {
  type: "fit_start";
  epochs: number;
  steps_per_epoch: number;
  train_samples: number;
  val_samples: number | null;
  parameters: number;
  batch_size: number;
  /** Names of the loss (first) and the metrics; a script may have chosen them. */
  metrics: string[];
  lr: number;
  task: Task;
}

/** The loss and metrics of one training step. */
export type MetricPoint = {
  step: number;
  epoch: number;
  loss: number;
  // metrics: By name; in JSON they are fields of the event itself.
} & Record<string, number>;

/** Training steps since the last report. */
export interface MetricsEvent {
  type: "metrics";
  points: MetricPoint[];
  step_ms: number;
  samples_per_s: number;
  host_ms: number;
  gpu_ms: number | null;
  lr: number;
  step: number;
  total_steps: number;
  eta_s: number;
}

/** Means over the validation samples. */
export type ValidationEvent = {
  type: "validation";
  step: number;
  epoch: number;
  loss: number;
  // metrics: By name; in JSON they are fields of the event itself.
} & Record<string, number>;

/** A validation sample and the model's prediction. */
export interface SampleItem {
  /** Row by row, 0 black to 1 white; null if the sample is not an image. */
  pixels: number[] | null;
  label: number;
  prediction: number;
  probability: number | null;
}

/** Some validation samples. */
export interface SamplesEvent {
  type: "samples";
  /** Height and width. */
  shape: [number, number] | null;
  items: SampleItem[];
}

/** The tuner measures a kernel while training continues. */
export interface TuningMeasuring {
  type: "tuning";
  phase: "measuring";
  text: string;
  done: number;
  total: number;
  kernel: string;
}

/** A faster variant is in use from now on. */
export interface TuningFound {
  type: "tuning";
  phase: "found";
  text: string;
  kernel: string;
  variant: string;
  before_ms: number;
  ms: number;
}

/** A variant failed, or computed wrong values. */
export interface TuningRejected {
  type: "tuning";
  phase: "rejected";
  text: string;
  variant: string;
  kernel?: string;
  reason?: string;
}

/** A kernel, or the whole run, is not tuned. */
export interface TuningSkipped {
  type: "tuning";
  phase: "skipped";
  text: string;
  kernel?: string;
  reason?: string;
}

/** An error ended tuning. */
export interface TuningFailed {
  type: "tuning";
  phase: "failed";
  text: string;
}

/** All kernels are measured, or the budget is spent. */
export interface TuningDone {
  type: "tuning";
  phase: "done";
  text: string;
  done: number;
  left: number;
}

export type TuningEvent = TuningMeasuring | TuningFound | TuningRejected | TuningSkipped | TuningFailed | TuningDone;

/** One kernel's totals over all profiled steps. */
export interface KernelTime {
  label: string;
  /** The template and its parameters; empty for a kernel without a template. */
  variant: string;
  calls: number;
  mean_us: number;
  /** Fraction of all kernels' time, 0 to 1. */
  share: number;
  /** Null if the measured time is 0. */
  gflops_per_s: number | null;
  gbytes_per_s: number | null;
}

/** The profile of some steps: time by kernel. */
export interface ProfileEvent {
  type: "profile";
  device: string;
  steps: number;
  /** Time in kernels per step; null if the adapter has no timestamps. */
  gpu_ms: number | null;
  /** Time between the starts of two steps; null for a single step. */
  wall_ms: number | null;
  /** The slowest kernel first. */
  kernels: KernelTime[];
  /** Limits of the measurement, in sentences; may be empty. */
  note: string;
  /** The whole profile as text. */
  table: string;
  /** JSON in Chrome's trace event format. */
  trace: string;
}

/** An error ended the script. */
export interface ErrorEvent {
  type: "error";
  message: string;
  traceback: string;
  /** Line of the user's script, counted from 1. */
  line: number | null;
}

/** A run started, paused, resumed or ended. */
export interface StateEvent {
  type: "state";
  state: RunState;
  step: number;
}

/** The answer to a ping. */
export interface PongEvent {
  type: "pong";
  id: unknown;
  /** Steps started so far; 0 without a run. */
  step: number;
}

/** A collector's newest values. */
export interface CollectorEvent {
  type: "collector";
  name: string;
  values: Record<string, unknown>;
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
  | StateEvent
  | PongEvent
  | CollectorEvent;

// The control messages that a run takes.

/** Pause after the current step. */
export interface PauseMessage {
  type: "pause";
}

/** Resume after a pause. */
export interface ResumeMessage {
  type: "resume";
}

/** Run one step, then pause. */
export interface StepMessage {
  type: "step";
}

/** End the run after the current step. */
export interface StopMessage {
  type: "stop";
}

/** Use this learning rate from the next step on. */
export interface SetLrMessage {
  type: "set_lr";
  lr: number;
}

/** Time the kernels of the next training steps. */
export interface ProfileMessage {
  type: "profile";
  steps?: number;
}

/** Answer at once, with this id. */
export interface PingMessage {
  type: "ping";
  id: unknown;
}

export type ControlMessage =
  | PauseMessage
  | ResumeMessage
  | StepMessage
  | StopMessage
  | SetLrMessage
  | ProfileMessage
  | PingMessage;
