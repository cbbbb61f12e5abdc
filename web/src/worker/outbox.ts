// The worker's messages to the page, in order and at a bounded rate, so that neither prints nor events flood the page.

import type { FromWorker, TabgradEvent } from "../protocol.ts";
import { Printed, type Text, TEXT_BYTES } from "./printed.ts";

/** Letters that may be sent at once in a row, and the time after which one more may. */
const BURST = 20;
const EVERY_MS = 50;

/** The most events in a letter; the oldest ones beyond are dropped. A trainer sends a few per second. */
const MOST_EVENTS = 100;

/** Collects messages in letters; a single message is sent at once, a flood 20 times per second. */
export class Outbox {
  #send;
  #printed = new Printed();
  #waiting: FromWorker[] = [];
  #textLength = 0;
  #letters = BURST;
  #countedMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: (letter: FromWorker[]) => void) {
    this.#send = send;
  }

  /** A run starts. */
  restart(): void {
    this.flush();
    this.#printed.restart();
  }

  /** Adds output of the script. */
  write(bytes: Uint8Array): void {
    this.#printed.append(bytes, (text) => {
      this.#putText(text);
      this.flush();
    });
    this.poll();
  }

  /** Adds an event of tabgrad. */
  report(event: TabgradEvent): void {
    this.#putPrinted();
    this.#removeOutdatedBy(event);
    this.#waiting.push({ type: "event", event });
    if (this.#waiting.length > 2 * MOST_EVENTS) this.#bound();
    this.poll();
  }

  /** Sends a message of the worker at once, after all earlier ones. */
  post(message: FromWorker): void {
    this.#putPrinted();
    this.#waiting.push(message);
    this.flush();
  }

  /** Sends waiting messages if they are due; also called during Python's computations, when no timer runs. */
  poll(): void {
    if (this.#waiting.length === 0 && this.#printed.isEmpty) return;
    const now = performance.now();
    this.#letters = Math.min(BURST, this.#letters + (now - this.#countedMs) / EVERY_MS);
    this.#countedMs = now;
    if (this.#letters >= 1) {
      this.#letters -= 1;
      this.flush();
    } else {
      this.#timer ??= setTimeout(() => this.flush(), EVERY_MS);
    }
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#putPrinted();
    if (this.#waiting.length === 0) return;
    this.#bound();
    this.#send(this.#waiting);
    this.#waiting = [];
    this.#textLength = 0;
  }

  #putPrinted(): void {
    if (!this.#printed.isEmpty) this.#putText(this.#printed.take());
  }

  #putText({ text, lines, bytes }: Text): void {
    if (this.#printed.isComplete && this.#textLength > 0 && this.#textLength + text.length > TEXT_BYTES) this.flush();
    this.#textLength += text.length;
    this.#waiting.push({ type: "output", text, omitted: { lines, bytes } });
  }

  /** Only the newest samples, and the newest progress of a phase, are shown. */
  #removeOutdatedBy(event: TabgradEvent): void {
    if (event.type !== "samples" && event.type !== "status") return;
    const phase = event.type === "status" ? event.phase : undefined;
    const at = this.#waiting.findLastIndex(
      ({ type, ...message }) =>
        type === "event" &&
        "event" in message &&
        message.event.type === event.type &&
        (message.event.type !== "status" || message.event.phase === phase),
    );
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  /** Drops the oldest messages that do not fit in one letter, and says so in it. */
  #bound(): void {
    if (this.#waiting.length <= MOST_EVENTS && this.#textLength <= TEXT_BYTES) return;
    const kept: FromWorker[] = [];
    const omitted = { lines: 0, bytes: 0 };
    let events = 0;
    let length = 0;
    for (const message of this.#waiting.toReversed()) {
      if (message.type === "event") {
        events += 1;
        if (events <= MOST_EVENTS) kept.push(message);
      } else if (message.type !== "output") {
        kept.push(message);
      } else if (this.#printed.isComplete || length + message.text.length <= TEXT_BYTES) {
        length += message.text.length;
        const newer = kept.at(-1);
        if (newer?.type !== "output" || newer.omitted.bytes > 0) kept.push(message);
        else kept[kept.length - 1] = { ...message, text: message.text + newer.text };
      } else {
        length = TEXT_BYTES; // earlier output is older
        omitted.lines += message.omitted.lines + message.text.split("\n").length - 1;
        omitted.bytes += message.omitted.bytes + message.text.length;
      }
    }
    const many = events - MOST_EVENTS;
    const text = many > 0 ? `[${many} events were left out: more came than the page can show]\n` : "";
    if (text || omitted.bytes > 0) kept.push({ type: "output", text, omitted });
    this.#waiting = kept.reverse();
  }
}
