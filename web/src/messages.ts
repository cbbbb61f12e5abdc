// Written by build_scripts/message_types.py from py_core/tabgrad/messages.

// What tabgrad reports. Times are in ms unless a name says otherwise.

export type AdapterKind = "gpu" | "software" | "numpy";

export type RunState = "running" | "paused" | "stopped" | "finished" | "failed";

export type Task = "classification" | "regression";

/** What a run computes on. */
export interface DeviceEvent {
  type: "device";
  device: string;
  adapter: string;
  kind: AdapterKind;
  /** Why it is not WebGPU, as a clause. */
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

/** A run begins. */
export interface FitStartEvent {
  type: "fit_start";
  epochs: number;
  steps_per_epoch: number;
  train_samples: number;
  val_samples: number | null;
  parameters: number;
  batch_size: number;
  /** Names of what is measured, the loss first; a script may have chosen them. */
  metrics: string[];
  lr: number;
  task: Task;
}

/** What one training step measured. */
export type MetricPoint = {
  step: number;
  epoch: number;
  loss: number;
  // metrics: By name; in JSON they stand beside the other fields.
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
  // metrics: By name; in JSON they stand beside the other fields.
} & Record<string, number>;

/** A validation sample and what the model says of it. */
export interface SampleItem {
  /** Row by row, 0 black to 1 white; null where a sample is no image. */
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

/** The tuner of kernels measures one, beside the training. */
export interface TuningMeasuring {
  type: "tuning";
  phase: "measuring";
  text: string;
  done: number;
  total: number;
  kernel: string;
}

/** A faster variant runs from now on. */
export interface TuningFound {
  type: "tuning";
  phase: "found";
  text: string;
  kernel: string;
  variant: string;
  before_ms: number;
  ms: number;
}

/** A variant failed, or computed something else. */
export interface TuningRejected {
  type: "tuning";
  phase: "rejected";
  text: string;
  variant: string;
  kernel?: string;
  reason?: string;
}

/** A kernel, or everything, is not tuned. */
export interface TuningSkipped {
  type: "tuning";
  phase: "skipped";
  text: string;
  kernel?: string;
  reason?: string;
}

/** Tuning has ended by an error. */
export interface TuningFailed {
  type: "tuning";
  phase: "failed";
  text: string;
}

/** All is measured, or the budget is spent. */
export interface TuningDone {
  type: "tuning";
  phase: "done";
  text: string;
  done: number;
  left: number;
}

export type TuningEvent = TuningMeasuring | TuningFound | TuningRejected | TuningSkipped | TuningFailed | TuningDone;

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
  gflops_per_s: number | null;
  gbytes_per_s: number | null;
}

/** Where the time of some steps went. */
export interface ProfileEvent {
  type: "profile";
  device: string;
  steps: number;
  /** In kernels, per step; null where the adapter keeps no time. */
  gpu_ms: number | null;
  /** Between the starts of two steps; null of a single one. */
  wall_ms: number | null;
  /** The one with the most time first. */
  kernels: KernelTime[];
  /** What limits the numbers, in sentences; may be empty. */
  note: string;
  /** All of this as text. */
  table: string;
  /** JSON in Chrome's trace event format. */
  trace: string;
}

/** The script has ended by an error. */
export interface ErrorEvent {
  type: "error";
  message: string;
  traceback: string;
  /** Of the user's script, counted from 1. */
  line: number | null;
}

/** A run began, rests, goes on or has ended. */
export interface StateEvent {
  type: "state";
  state: RunState;
  step: number;
}

/** The answer to a ping. */
export interface PongEvent {
  type: "pong";
  id: unknown;
  /** Steps begun by now; 0 without a run. */
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

// What a run can be asked for.

/** Rest after the step under way. */
export interface PauseMessage {
  type: "pause";
}

/** Go on. */
export interface ResumeMessage {
  type: "resume";
}

/** Make one step, then rest. */
export interface StepMessage {
  type: "step";
}

/** End the run after the step under way. */
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

/** Answer with this id at once. */
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
