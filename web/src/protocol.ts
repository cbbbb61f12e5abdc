// Everything that the page and its worker say to each other.

import type { ControlMessage, TabgradEvent } from "./messages.ts";

/** tabgrad -> page, and page -> tabgrad: generated from what Python declares. */
export type * from "./messages.ts";

export type TuningMode = "off" | "background" | "before";

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
