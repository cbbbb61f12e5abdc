// Detects a worker that ended without a message: a script may close it, and the browser may end it.

const ASK_EVERY_MS = 5000;

/** A long step answers nothing, so after this time the page only offers to end Python. */
const SILENT_AFTER_MS = 30_000;

export interface Watched {
  /** Sends the worker a ping. */
  ask: () => void;
  /** The worker no longer exists. */
  gone: () => void;
  /** It may have ended, or be in a long computation. */
  silent: () => void;
}

/**
 * The worker holds a lock, which the browser releases when the worker ends in any way. If the page cannot use locks
 * (they need https or localhost), it pings the worker.
 */
export class Watch {
  /** The lock for the worker to hold; null without locks. */
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

  /** The worker is alive, and holds its lock if it has one. */
  alive(): void {
    this.#heardMs = performance.now();
    if (this.lock === null) return;
    const { signal } = this.#ended;
    navigator.locks.request(this.lock, { signal }, () => this.#watched.gone()).catch(() => {}); // aborted by end()
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
