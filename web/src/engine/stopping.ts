// How Stop takes effect. A trainer ends its run after the step; a script that only prints must be interrupted.

/** A script that has printed all this time after Stop is in a loop; a long step prints less. */
const WATCHED_MS = 300;

/** After an interrupt, output in this time was already sent; output in the next one shows that it was ignored. */
const SETTLE_MS = 250;
const IGNORED_MS = 350;

/** After this time, the visitor may end Python in any case. */
const STUCK_AFTER_MS = 3000;

/** A flood prints in most of these spans; if it first fills Python's buffer of 128 KB, in fewer, but much more. */
const SPAN_MS = 100;
const MOST_SPANS = 3;
const MANY_CHARACTERS = 50_000;

export interface Endings {
  /** Interrupts the script as Ctrl+C does; false if the page cannot. */
  interrupt: () => boolean;
  /** Ends Python. */
  end: () => void;
  /** Offers to end Python. */
  offer: () => void;
}

/** Watches a script after Stop, until it has ended. */
export class Stopping {
  #endings;
  #timers: ReturnType<typeof setTimeout>[] = [];
  #spans = new Set<number>();
  #characters = 0;
  #byTrainer = false;
  #interrupted = false;

  constructor(endings: Endings) {
    this.#endings = endings;
    this.#after(WATCHED_MS, () => this.#look());
    this.#after(STUCK_AFTER_MS, endings.offer);
  }

  /** The script has printed. */
  printed(text: string): void {
    this.#spans.add(Math.floor(performance.now() / SPAN_MS));
    this.#characters += text.length;
  }

  /** The worker received Stop, and left it to a trainer or interrupted the script. */
  heard(byTrainer: boolean): void {
    this.#byTrainer = byTrainer;
    this.#interrupted = !byTrainer;
  }

  /** The script has ended. */
  over(): void {
    this.#timers.forEach(clearTimeout);
  }

  #look(): void {
    if (this.#byTrainer) return;
    const floods = this.#flooded();
    if (!floods) this.#after(WATCHED_MS, () => this.#look());
    else if (this.#interrupted) this.#endings.end();
    else this.#interrupt();
  }

  #interrupt(): void {
    this.#interrupted = this.#endings.interrupt();
    if (!this.#interrupted) {
      this.#endings.end();
      return;
    }
    this.#after(SETTLE_MS, () => {
      this.#flooded();
      this.#after(IGNORED_MS, () => this.#look());
    });
  }

  /** Whether the script has printed all the time since the last call. */
  #flooded(): boolean {
    const spans = this.#spans.size;
    const characters = this.#characters;
    this.#spans.clear();
    this.#characters = 0;
    return spans >= MOST_SPANS || (spans >= 2 && characters >= MANY_CHARACTERS);
  }

  #after(ms: number, act: () => void): void {
    this.#timers.push(setTimeout(act, ms));
  }
}
