/**
 * Places in the order of submitted work, and when each was reached. To ask costs Python a call; to be told would take
 * turns of its event loop, each of which needs a stack of its own where Python can be suspended.
 */
export class Marks {
  /** @type {Map<number, {ms: number, reached: Promise<void>}>} */
  #known = new Map();
  #nextId = 1;

  /**
   * @param {Promise<void>} done resolves when the work is done, or fails with the device
   * @returns {number} the mark's id
   */
  set(done) {
    const mark = { ms: -1, reached: Promise.resolve() };
    const reach = () => void (mark.ms = performance.now());
    mark.reached = done.then(reach, reach); // `device.lost` tells of a failure
    const id = this.#nextId++;
    this.#known.set(id, mark);
    return id;
  }

  /** When it was reached, by `performance.now()`; -1 as long as it was not. @param {number} id */
  reachedMs(id) {
    return this.#known.get(id)?.ms ?? -1;
  }

  /** @param {number} id */
  async wait(id) {
    await this.#known.get(id)?.reached;
  }

  /** @param {number} id */
  drop(id) {
    this.#known.delete(id);
  }
}
