// What the page shows of a run, one below the other: each folder here is one panel.

import type { ComponentType } from "preact";
import type { EventTaker } from "../engine/events.ts";

export interface Panel extends EventTaker {
  /** Panels come in this order. */
  order: number;
  View: ComponentType;
}

const modules = import.meta.glob<{ panel: Panel }>("./*/panel.tsx", { eager: true });

export const panels = Object.values(modules)
  .map(({ panel }) => panel)
  .sort((a, b) => a.order - b.order);
