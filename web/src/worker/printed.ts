// The script's output between Python and the page: bytes arrive at any rate, bounded texts are sent.

import type { Omitted } from "../protocol.ts";

/** A run's first bytes are all sent; after them, only the newest {@link TEXT_BYTES} of waiting output. */
const COMPLETE_BYTES = 8 << 20;

/** The most bytes of one text, which the page handles within a few ms. */
export const TEXT_BYTES = 64 << 10;

const NEWLINE = 10;

export interface Text extends Omitted {
  text: string;
}

/** A printed line costs a copy of its bytes; they are decoded only when they are sent. */
export class Printed {
  #bytes = new Uint8Array(2 * TEXT_BYTES);
  #size = 0;
  #completeLeft = COMPLETE_BYTES;
  #omittedLines = 0;
  #omittedBytes = 0;
  #decoder = new TextDecoder();

  /** A run starts: all output is sent until there is too much. */
  restart(): void {
    this.#completeLeft = COMPLETE_BYTES;
  }

  /** Whether no output was left out, and none will be soon. */
  get isComplete(): boolean {
    return this.#completeLeft > 0;
  }

  get isEmpty(): boolean {
    return this.#size === 0 && this.#omittedBytes === 0;
  }

  /**
   * Adds output.
   * @param full receives a text at once if all of it is sent
   */
  append(bytes: Uint8Array, full: (text: Text) => void): void {
    let rest = bytes;
    while (this.#completeLeft > 0 && rest.length > 0) {
      const part = rest.subarray(0, Math.min(TEXT_BYTES - this.#size, this.#completeLeft));
      this.#copy(part);
      this.#completeLeft -= part.length;
      rest = rest.subarray(part.length);
      if (this.#size === TEXT_BYTES) full(this.take());
    }
    if (this.#size + rest.length > this.#bytes.length) rest = this.#makeRoom(rest);
    this.#copy(rest);
  }

  /** The waiting output, limited to one text, and the amount that was left out before it. */
  take(): Text {
    if (this.#size > TEXT_BYTES) this.#dropOldest(this.#size - TEXT_BYTES);
    let start = 0;
    if (this.#omittedBytes > 0) {
      this.#decoder.decode(); // drops an incomplete character
      start = this.#lineStart();
      this.#count(this.#bytes.subarray(0, start));
    }
    const text = this.#decoder.decode(this.#bytes.subarray(start, this.#size), { stream: true });
    const taken = { text, lines: this.#omittedLines, bytes: this.#omittedBytes };
    this.#size = this.#omittedLines = this.#omittedBytes = 0;
    return taken;
  }

  #copy(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#size);
    this.#size += bytes.length;
  }

  /** Drops old output so that `next` fits; returns the part of `next` that is kept. */
  #makeRoom(next: Uint8Array): Uint8Array {
    const kept = next.subarray(-TEXT_BYTES);
    this.#dropOldest(Math.max(0, this.#size - (TEXT_BYTES - kept.length)));
    this.#count(next.subarray(0, next.length - kept.length));
    return kept;
  }

  #dropOldest(count: number): void {
    this.#count(this.#bytes.subarray(0, count));
    this.#bytes.copyWithin(0, count, this.#size);
    this.#size -= count;
  }

  #count(dropped: Uint8Array): void {
    let lines = 0;
    for (let i = 0; i < dropped.length; i += 1) if (dropped[i] === NEWLINE) lines += 1;
    this.#omittedLines += lines;
    this.#omittedBytes += dropped.length;
  }

  /** The start of the first complete line; in a single long line, of its first complete character. */
  #lineStart(): number {
    const newline = this.#bytes.subarray(0, this.#size).indexOf(NEWLINE);
    if (newline >= 0 && newline + 1 < this.#size) return newline + 1;
    let start = 0;
    while (start < this.#size && (this.#bytes[start] & 0xc0) === 0x80) start += 1;
    return start;
  }
}
