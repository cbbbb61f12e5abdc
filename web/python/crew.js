/**
 * @typedef {object} Letter what a thread is sent, and what it answers; the first part is the structure, the others are
 *   arrays
 * @property {Uint8Array[]} parts
 */

/**
 * @typedef {object} Thread
 * @property {(letter: Letter, moved: ArrayBuffer[]) => void} post
 * @property {() => void} end ends it at once
 */

/**
 * @typedef {object} Ears
 * @property {(letter: Letter) => void} hear an answer
 * @property {(why: string) => void} lose it is gone
 */

/** @typedef {(ears: Ears) => Thread} OpenThread */

/** @typedef {{number: number, parts: Uint8Array[] | undefined, why: string}} Heard */

const MOST_IDLE = 8;

/** @typedef {{thread: Thread, ears: Ears | null}} Idle a thread whose ears change with its crew */

/** Threads that wait for a loader: a start takes a second. */
export class IdleThreads {
  #open;
  /** @type {Idle[]} */
  #idle = [];

  /** @param {OpenThread} open */
  constructor(open) {
    this.#open = open;
  }

  /** One of them, or a new one. @param {Ears} ears @returns {Idle} */
  take(ears) {
    const found = this.#idle.pop();
    if (found) {
      found.ears = ears;
      return found;
    }
    /** @type {Idle} */
    const made = {
      ears,
      thread: this.#open({
        hear: (letter) => made.ears?.hear(letter),
        lose: (why) => {
          this.#idle = this.#idle.filter((idle) => idle !== made);
          made.ears?.lose(why);
        },
      }),
    };
    return made;
  }

  /** @param {Idle} idle */
  keep(idle) {
    idle.ears = null;
    this.#idle.push(idle);
    if (this.#idle.length > MOST_IDLE) this.#idle.shift()?.thread.end();
  }
}

/** Threads that prepare batches for one loader, each with a Python of its own. */
export class Crew {
  #idle;
  /** @type {Map<number, Idle>} */
  #threads = new Map();
  /** @type {Heard[]} */
  #heard = [];
  #wake = () => {};

  /** @param {IdleThreads} idle */
  constructor(idle) {
    this.#idle = idle;
  }

  /**
   * Takes an idle thread, or starts one; one with this number is ended.
   * @param {number} number
   */
  start(number) {
    this.end(number);
    const tell = (/** @type {Heard} */ heard) => {
      this.#heard.push(heard);
      this.#wake();
    };
    const taken = this.#idle.take({
      hear: ({ parts }) => tell({ number, parts, why: "" }),
      lose: (why) => tell({ number, parts: undefined, why }),
    });
    this.#threads.set(number, taken);
  }

  /**
   * @param {number} number
   * @param {Uint8Array[]} parts
   */
  send(number, parts) {
    this.#threads.get(number)?.thread.post({ parts }, buffersOf(parts));
  }

  /**
   * The next answer or end; undefined after the timeout.
   * @param {number} ms
   * @returns {Promise<Heard | undefined>}
   */
  async hear(ms) {
    if (this.#heard.length === 0) {
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      let timer;
      await new Promise((resolve) => {
        this.#wake = () => resolve(undefined);
        timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
      this.#wake = () => {};
    }
    return this.#heard.shift();
  }

  /** A thread that has answered all is kept for others. @param {number} number */
  release(number) {
    const taken = this.#threads.get(number);
    this.#threads.delete(number);
    if (taken) this.#idle.keep(taken);
  }

  /** Ends a thread at once. @param {number} number */
  end(number) {
    const taken = this.#threads.get(number);
    this.#threads.delete(number);
    if (!taken) return;
    taken.ears = null;
    taken.thread.end();
    this.#heard = this.#heard.filter((heard) => heard.number !== number);
  }
}

/**
 * The buffers of arrays that are each the whole of one.
 * @param {Uint8Array[]} parts
 */
export function buffersOf(parts) {
  return parts.map(({ buffer }) => /** @type {ArrayBuffer} */ (buffer));
}
