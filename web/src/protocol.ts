// All messages between the page and its worker.

import type { ControlMessage, TabgradEvent } from "./messages.ts";

/** tabgrad -> page, and page -> tabgrad: generated from Python's declarations. */
export type * from "./messages.ts";

export type TuningMode = "off" | "background" | "before";

// page -> worker

/** The first message; all others use its port, which scripts cannot access. */
export interface StartMessage {
  type: "start";
  root: string;
  port: MessagePort;
  /** The worker holds this lock until it ends; null without locks. */
  lock: string | null;
  /** Shared memory, if the page has it: a 2 in it interrupts a script without a trainer. */
  interrupt: Uint8Array | null;
}

export type ToWorker =
  /** A ping; the answer is "alive". */
  | { type: "ask" }
  /** The script that may be run next: its kernels can be compiled before. */
  | { type: "expect"; source: string }
  | { type: "run"; source: string; tuning: TuningMode }
  | { type: "winners"; action: "export" | "clear" }
  | { type: "winners"; action: "import"; text: string }
  | { type: "file"; path: string; bytes: Uint8Array }
  | { type: "control"; message: ControlMessage };

/** The output that was left out before a text. */
export interface Omitted {
  lines: number;
  bytes: number;
}

// worker -> page, in arrays

export type FromWorker =
  /** Bytes of the Python bundle that were downloaded. */
  | { type: "download"; received: number; total: number }
  /** Everything is downloaded; Python is starting. */
  | { type: "starting" }
  | { type: "ready"; elapsedMs: number }
  /** The worker is alive, and holds its lock. */
  | { type: "alive" }
  /** Python could not start; the reason, as a sentence. */
  | { type: "broken"; message: string }
  | { type: "event"; event: TabgradEvent }
  /** Output of the script on either stream: part of a line, a line, or many. */
  | { type: "output"; text: string; omitted: Omitted }
  /** Stop was received. A trainer ends the run after its step; otherwise the script is interrupted. */
  | { type: "stopping"; byTrainer: boolean }
  /** The number of stored winners of kernel tuning, and a file of them if requested. */
  | { type: "winners"; count: number; text?: string; problem?: string | null }
  /** Winners are lost when Python ends; the reason. */
  | { type: "not_kept"; reason: string }
  /** The GPU was lost while nothing ran: the script was not started, and a new worker can run it. */
  | { type: "lost" }
  /** The script has ended; `lost` says why the GPU was lost, if it was: only a new worker gets it back. */
  | { type: "done"; ok: boolean; status: number; lost: string | null }
  /** Python has ended, during a script or after it: only a new worker can run the next one. */
  | { type: "crashed"; message: string; traceback: string; line: number | null };
