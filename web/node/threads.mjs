import { Worker } from "node:worker_threads";

/** @typedef {import("../python/crew.js").OpenThread} OpenThread */

/**
 * Opens threads that prepare batches, in the same surroundings as the training.
 * @param {import("./preparer.mjs").Surroundings} surroundings
 * @returns {OpenThread}
 */
export function threadsIn(surroundings) {
  return ({ hear, lose }) => {
    const worker = new Worker(new URL("./preparer.mjs", import.meta.url), { workerData: surroundings });
    let failure = "";
    worker.on("message", hear);
    worker.on("error", (error) => {
      failure = error instanceof Error ? error.message : String(error);
    });
    worker.on("exit", (status) => lose(failure || `it ended with status ${status}`));
    worker.unref(); // nobody waits for it when the training ends
    return {
      post: (letter, moved) => worker.postMessage(letter, moved),
      end: () => void worker.terminate(),
    };
  };
}
