// The last lines of a text as a terminal shows them, limited to what a page lays out within a frame.

const MOST_LINES = 500;
const MOST_OF_A_LINE = 2000;

/** The layout cost of a line besides its characters; a plain character costs 1. */
const LINE_COST = 100;

// Colours, cursor movements, titles.
// oxlint-disable-next-line no-control-regex -- each begins with one
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])/g;
const MOVES = /[\r\b]/;
const CONTROLS = /[^\P{Cc}\t]/gu;
// They would change the direction of the text around them.
const DIRECTIONS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export interface Screen {
  text: string;
  lines: number;
  /** Whether a line was too long to be shown. */
  cut: boolean;
  /** Whether more would be shown at a higher cost. */
  limited: boolean;
}

export const EMPTY_SCREEN: Screen = { text: "", lines: 0, cut: false, limited: false };

/**
 * The last lines of a text.
 * @param amidLine the text begins inside a line
 * @param mostCost limit of the layout cost, in characters
 */
export function screenOf(text: string, amidLine: boolean, mostCost: number): Screen {
  const all = text.replace(ESCAPES, "").replaceAll("\r\n", "\n").split("\n");
  if (all.at(-1) === "") all.pop();
  let cut = false;
  if (amidLine && all.length > 0) {
    // The text after a carriage return is complete.
    const start = all[0].indexOf("\r");
    cut = start < 0;
    all[0] = start < 0 ? `… ${all[0].slice(-MOST_OF_A_LINE)}` : all[0].slice(start);
  }
  const shown: string[] = [];
  let left = mostCost;
  for (let i = all.length - 1; i >= 0 && shown.length < MOST_LINES; i -= 1) {
    let line = visible(all[i]);
    if (line.length > MOST_OF_A_LINE + 2) {
      line = middleCut(line);
      cut = true;
    }
    const part = affordable(line, left - LINE_COST);
    if (part < line.length && shown.length > 0) return { text: joined(shown), lines: shown.length, cut, limited: true };
    shown.push(part < line.length ? `… ${line.slice(-part)}` : line);
    if (part < line.length) return { text: joined(shown), lines: 1, cut: true, limited: true };
    left -= LINE_COST + costOf(line);
  }
  return { text: joined(shown), lines: shown.length, cut, limited: false };
}

/** The layout cost of a text, in plain characters. */
export function costOf(text: string): number {
  let cost = 0;
  for (let i = 0; i < text.length; i += 1) cost += costAt(text, i);
  return cost;
}

/** The number of a line's last characters that cost at most that much. */
function affordable(line: string, mostCost: number): number {
  let cost = 0;
  for (let i = line.length - 1; i >= 0; i -= 1) {
    cost += costAt(line, i);
    if (cost > mostCost) return Math.max(1, line.length - 1 - i);
  }
  return line.length;
}

/** As measured in Chromium: Chinese, Japanese and Korean take 4 times as long as Latin, other scripts and marks 100. */
function costAt(text: string, i: number): number {
  const code = text.charCodeAt(i);
  if (code < 0x300 || (code >= 0x370 && code < 0x530) || (code >= 0x2010 && code < 0x2600)) return 1;
  if ((code >= 0x3000 && code < 0xa000) || (code >= 0xac00 && code < 0xd7a4)) return 4;
  return 50;
}

function visible(line: string): string {
  return (MOVES.test(line) ? overwritten(line) : line)
    .replace(CONTROLS, (c) => (c < " " ? String.fromCharCode(0x2400 + c.charCodeAt(0)) : "\ufffd"))
    .replace(DIRECTIONS, "\ufffd");
}

/** A line after its carriage returns and backspaces. */
function overwritten(line: string): string {
  const cells: string[] = [];
  let at = 0;
  for (const character of line) {
    if (character === "\r") at = 0;
    else if (character === "\b") at = Math.max(0, at - 1);
    else cells[at++] = character;
  }
  return cells.join("");
}

function middleCut(line: string): string {
  const half = MOST_OF_A_LINE / 2;
  const count = (line.length - 2 * half).toLocaleString("en");
  return `${line.slice(0, half)} […${count} characters…] ${line.slice(-half)}`;
}

function joined(newestFirst: string[]): string {
  return newestFirst.reverse().join("\n");
}
