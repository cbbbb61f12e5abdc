/**
 * What went wrong behind the caller's back: WebGPU reports errors long after the call that caused
 * them, so they wait here until Python asks. The first one is kept; the rest follow from it.
 */
export class Faults {
  /** @type {string | null} */
  #error = null;
  /** @type {string | null} */
  #lost = null;
  #closing = false;
  #checking = 0;

  /** @param {GPUDevice} device */
  constructor(device) {
    device.addEventListener("uncapturederror", (event) => {
      event.preventDefault(); // Python raises it; the console need not repeat it
      this.report(event.error.message);
    });
    device.lost.then((info) => {
      if (!this.#closing) this.#lost = info.message || info.reason;
    });
  }

  /** True when there is something to ask for. Cheap: the step's only error check. */
  get pending() {
    return (this.#error !== null && this.#checking === 0) || this.#lost !== null;
  }

  get lost() {
    return this.#lost;
  }

  /** @param {string} message */
  report(message) {
    this.#error ??= message;
  }

  /**
   * A check whose answer comes later. Until then other errors wait, since they may follow from it;
   * a failed check replaces them.
   * @param {Promise<string | null>} check resolves to what is wrong
   */
  async expect(check) {
    this.#checking += 1;
    try {
      this.#error = (await check) ?? this.#error;
    } finally {
      this.#checking -= 1;
    }
  }

  /** The first error since the last call; reading it clears it. */
  take() {
    const error = this.#error;
    this.#error = null;
    return error;
  }

  /** The device is about to be destroyed on purpose. */
  close() {
    this.#closing = true;
  }
}
