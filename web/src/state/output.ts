// The script's output as the page shows it: at most one change per frame, each of bounded time.

import { computed, signal } from "@preact/signals";
import { formatCount } from "../format.ts";
import type { Omitted } from "../protocol.ts";
import { saveFile } from "../saveFile.ts";
import { costOf, EMPTY_SCREEN, screenOf } from "./screen.ts";
import { Transcript } from "./transcript.ts";

/** The most characters of the transcript that are scanned for a screen. */
const LOOKED_AT = 32 << 10;

/** The cost of a screen in a flood: some 30 lines, of which the panel shows nine. */
const FLOOD_COST = 4 << 10;
const MOST_COST = 2 << 20;

/** Output is a flood if this many screens come within this time. */
const FLOOD_SCREENS = 4;
const FLOOD_MS = 500;

/** After a flood the screen grows until as many layouts in a row were slow: one may be another program's doing. */
const SLOW_LAYOUTS = 3;
const SLOW_MS = 10;

let transcript = new Transcript();
let frame = 0;
let growth: ReturnType<typeof setTimeout> | undefined;
let cost = FLOOD_COST;
let slowLayouts = 0;
let newText = "";
let shownAtMs: number[] = [];

const counted = signal({ screen: EMPTY_SCREEN, lines: 0, lostLines: 0, lost: false });

export const screen = computed(() => counted.value.screen);

/** A clause that says what is not shown; empty if everything is. */
export const missing = computed(() => {
  const { screen, lines, lostLines, lost } = counted.value;
  const hidden = lines - screen.lines;
  const parts = [];
  if (hidden > 0) parts.push(`${formatCount(hidden)} earlier lines not shown`);
  else if (screen.cut) parts.push("long lines are cut");
  if (lost) parts.push(lostLines > 0 ? `${formatCount(lostLines)} lines not kept` : "parts of a long line not kept");
  return parts.join(" · ");
});

export function clearOutput(): void {
  cancelAnimationFrame(frame);
  clearTimeout(growth);
  frame = 0;
  newText = "";
  shownAtMs = [];
  slowLayouts = 0;
  transcript = new Transcript();
  show();
}

export function addOutput(text: string, omitted: Omitted): void {
  transcript.add(text, omitted);
  newText = (newText + text).slice(-FLOOD_COST);
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    const now = performance.now();
    shownAtMs = [...shownAtMs.slice(1 - FLOOD_SCREENS), now];
    const floods = shownAtMs.length === FLOOD_SCREENS && now - shownAtMs[0] < FLOOD_MS;
    if (floods || costOf(newText) >= FLOOD_COST) {
      cost = FLOOD_COST;
      slowLayouts = 0;
    }
    newText = "";
    show();
  });
}

/** Called with the screen's layout time: if layouts are quick and output pauses, more is shown. */
export function laidOut(ms: number): void {
  clearTimeout(growth);
  slowLayouts = ms > SLOW_MS ? slowLayouts + 1 : 0;
  if (!counted.value.screen.limited || slowLayouts >= SLOW_LAYOUTS || cost >= MOST_COST) return;
  growth = setTimeout(() => {
    cost *= 2;
    show();
  }, 100);
}

/** Saves the kept output as a file. */
export function saveOutput(): void {
  saveFile("tabgrad-output.txt", transcript.texts(), "text/plain");
}

function show(): void {
  const { text, amidLine } = transcript.newest(LOOKED_AT);
  const { lines, lostLines, lostBytes, endsLine } = transcript;
  counted.value = {
    screen: screenOf(text, amidLine, cost),
    lines: lines + (endsLine ? 0 : 1),
    lostLines,
    lost: lostBytes > 0,
  };
}
