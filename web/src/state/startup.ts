import { signal } from "@preact/signals";
import type { DeviceEvent } from "../protocol.ts";

/** The progress of Python's start. */
export type Startup =
  | { kind: "downloading"; received: number; total: number }
  | { kind: "starting" }
  | { kind: "ready"; elapsedMs: number }
  | { kind: "broken"; message: string };

export const startup = signal<Startup>({ kind: "downloading", received: 0, total: 0 });

/** The device that training uses; null until Python has started. */
export const device = signal<DeviceEvent | null>(null);
