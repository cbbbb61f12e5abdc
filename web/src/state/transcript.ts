// A script's output, bounded: the beginning and the end are kept, the rest is only counted.

import { formatBytes, formatCount } from "../format.ts";
import type { Omitted } from "../protocol.ts";

const BEGINNING_LENGTH = 8 << 20;
const END_LENGTH = 4 << 20;

interface Piece {
  text: string;
  lines: number;
  /** The output that is missing from the text. */
  gap: Omitted;
}

const NO_GAP: Omitted = { lines: 0, bytes: 0 };

export class Transcript {
  #beginning: string[] = [];
  #beginningLength = 0;
  #end: Piece[] = [];
  #endLength = 0;
  endsLine = true;
  /** Output that was dropped from {@link #end}. */
  #passed: Omitted = { lines: 0, bytes: 0 };
  /** Number of lines kept, of which the last may be incomplete. */
  lines = 0;
  /** Number of lines not kept. */
  lostLines = 0;
  lostBytes = 0;

  /** Adds the next output, after output that was left out. */
  add(text: string, omitted: Omitted): void {
    if (omitted.bytes > 0) {
      this.lostLines += omitted.lines;
      this.lostBytes += omitted.bytes;
      this.#put(`${this.endsLine ? "" : "\n"}${named(omitted)}\n`, 0, omitted);
    }
    if (text) this.#put(text, countLines(text), NO_GAP);
  }

  /** The newest text of about this length, and whether it begins inside a line. */
  newest(length: number): { text: string; amidLine: boolean } {
    const texts: string[] = [];
    let left = length;
    const takeFrom = (pieces: readonly (string | Piece)[]) => {
      for (let i = pieces.length - 1; i >= 0 && left > 0; i -= 1) {
        const piece = pieces[i];
        const text = typeof piece === "string" ? piece : piece.text;
        texts.push(text);
        left -= text.length;
      }
    };
    takeFrom(this.#end);
    if (this.#passed.bytes === 0) takeFrom(this.#beginning);
    const text = texts.reverse().join("");
    const start = Math.max(0, text.length - length);
    const newline = text.indexOf("\n", start - 1);
    if (start === 0) return { text, amidLine: false };
    if (newline < 0 || newline + 1 === text.length) return { text: text.slice(start), amidLine: true };
    return { text: text.slice(newline + 1), amidLine: false };
  }

  /** The kept text, for a file, with a note in place of missing output. */
  texts(): string[] {
    const end = this.#end.map(({ text }) => text);
    return [...this.#beginning, ...(this.#passed.bytes > 0 ? [`\n${named(this.#passed)}\n`] : []), ...end];
  }

  #put(text: string, lines: number, gap: Omitted): void {
    this.lines += lines;
    this.endsLine = text.endsWith("\n");
    if (this.#endLength === 0 && this.#beginningLength + text.length <= BEGINNING_LENGTH) {
      this.#beginning.push(text);
      this.#beginningLength += text.length;
      return;
    }
    this.#end.push({ text, lines, gap });
    this.#endLength += text.length;
    while (this.#endLength > END_LENGTH) this.#pass();
  }

  /** Drops the oldest text of the end. */
  #pass(): void {
    const { text, lines, gap } = this.#end.shift()!;
    this.#endLength -= text.length;
    this.lines -= lines;
    this.lostLines += lines;
    const bytes = gap.bytes > 0 ? 0 : text.length;
    this.lostBytes += bytes;
    this.#passed = {
      lines: this.#passed.lines + lines + gap.lines,
      bytes: this.#passed.bytes + bytes + gap.bytes,
    };
  }
}

function named({ lines, bytes }: Omitted): string {
  return `[${formatCount(lines)} lines, ${formatBytes(bytes)}, were not kept]`;
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
