/** @typedef {import("../src/protocol.ts").TabgradEvent} TabgradEvent */

const EVERY_MS = 250;
const EVERY_MS_IN_A_LOG = 5000;

/** Prints training events for a person: one changing line on a terminal, few lines elsewhere. */
export class Progress {
  #stream;
  #changing = false;
  #lastMs = -Infinity;
  #totalEpochs = 0;

  /** @param {{isTTY: boolean, write: (text: string) => void}} stream */
  constructor(stream) {
    this.#stream = stream;
  }

  /** @param {TabgradEvent} event */
  show(event) {
    switch (event.type) {
      case "device":
        this.#line(`device ${event.device}: ${event.adapter}${event.reason ? ` (no WebGPU: ${event.reason})` : ""}`);
        break;
      case "status":
        if (event.phase === "compiling") this.#change(`compiling kernels: ${event.done} of ${event.total}`);
        break;
      case "fit_start":
        this.#totalEpochs = event.epochs;
        this.#line(`${event.parameters.toLocaleString("en")} parameters, ${event.train_samples} samples`);
        break;
      case "metrics": {
        const newest = event.points.at(-1);
        if (!newest) break;
        const eta = Number.isFinite(event.eta_s) ? `, ${Math.ceil(event.eta_s)} s left` : "";
        this.#change(
          `step ${event.step}/${event.total_steps}  loss ${newest.loss.toPrecision(4)}  ` +
            `${event.step_ms.toFixed(1)} ms/step  ${Math.round(event.samples_per_s)} samples/s${eta}`,
        );
        break;
      }
      case "validation": {
        const { type: _type, step: _step, epoch, ...values } = event;
        this.#line(`epoch ${epoch}/${this.#totalEpochs}  validation ${scores(values)}`);
        break;
      }
      case "tuning":
        if (event.phase === "measuring") this.#change(event.text);
        else this.#line(event.text);
        break;
      case "state":
        if (event.state !== "running") this.#line(`${event.state} at step ${event.step}`);
        break;
      case "profile":
        this.#line(event.table);
        break;
      case "error":
        this.#line(event.traceback);
        break;
    }
  }

  /** Leaves the cursor on a line of its own. */
  end() {
    if (this.#changing) this.#stream.write("\n");
    this.#changing = false;
  }

  /** @param {string} text */
  #line(text) {
    this.#clear();
    this.#stream.write(`${text}\n`);
  }

  /** @param {string} text */
  #change(text) {
    const now = performance.now();
    if (now - this.#lastMs < (this.#stream.isTTY ? EVERY_MS : EVERY_MS_IN_A_LOG)) return;
    this.#lastMs = now;
    this.#clear();
    this.#stream.write(this.#stream.isTTY ? text : `${text}\n`);
    this.#changing = this.#stream.isTTY;
  }

  #clear() {
    if (this.#changing) this.#stream.write("\r\x1b[K");
    this.#changing = false;
  }
}

/**
 * `loss 0.1234  accuracy 97.50 %`
 * @param {Record<string, number>} values
 */
function scores(values) {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${name === "accuracy" ? `${(100 * value).toFixed(2)} %` : value.toPrecision(4)}`)
    .join("  ");
}
