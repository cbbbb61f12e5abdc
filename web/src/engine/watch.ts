// Notices a worker that is gone without a word: a script may close it, and the browser may end it.

const ASK_EVERY_MS = 5000;

/** A step may take long, and nothing is answered meanwhile; so the page then only offers to end Python. */
const SILENT_AFTER_MS = 30_000;

export interface Watched {
  /** Asks the worker for a sign of life. */
  ask: () => void;
  /** The worker no longer exists. */
  gone: () => void;
  /** It may be gone, or in a long computation. */
  silent: () => void;
}

/**
 * The worker holds a lock, which the browser hands on when the worker ends, however it does. Where the page may not use
 * locks (it needs https, or localhost), the worker is asked for signs of life.
 */
export class Watch {
  /** The lock that the worker is to hold; null where there are none. */
  readonly lock: string | null = null;
  #watched;
  #ended = new AbortController();
  #asking: ReturnType<typeof setInterval> | undefined;
  #heardMs = performance.now();

  constructor(watched: Watched) {
    this.#watched = watched;
    if (navigator.locks) {
      this.lock = `tabgrad worker ${crypto.randomUUID()}`;
    } else {
      this.#asking = setInterval(() => this.#ask(), ASK_EVERY_MS);
    }
  }

  /** The worker lives, and holds its lock if it has one. */
  alive(): void {
    this.#heardMs = performance.now();
    if (this.lock === null) return;
    const { signal } = this.#ended;
    navigator.locks.request(this.lock, { signal }, () => this.#watched.gone()).catch(() => {}); // ended: not asked any more
  }

  /** The page itself ends the worker. */
  end(): void {
    this.#ended.abort();
    clearInterval(this.#asking);
  }

  #ask(): void {
    if (performance.now() - this.#heardMs > SILENT_AFTER_MS) this.#watched.silent();
    this.#watched.ask();
  }
}
