// A thread that prepares batches for a loader: a Python of its own, with the same folders and no GPU.

import { parentPort, workerData } from "node:worker_threads";
import { answerLetters } from "../python/preparing.js";
import { readBundle } from "./bundle.mjs";
import { writeAll } from "./writing.mjs";

const FD = { stdout: 1, stderr: 2 };

/** @typedef {{bundle: string | null, mounted: string[], current: string, folder: string}} Surroundings */

const port = /** @type {import("node:worker_threads").MessagePort} */ (parentPort);
const receive = answerLetters(
  start(/** @type {Surroundings} */ (workerData)),
  (letter, moved) => port.postMessage(letter, moved),
  (error) => setImmediate(() => { throw error; }), // which ends the thread, and whoever opened it hears why
);
port.on("message", receive);

/** @param {Surroundings} surroundings */
async function start({ bundle, mounted, current, folder }) {
  const read = await readBundle(bundle);
  if ("problem" in read) throw new Error(read.problem);
  const { Python } = await import("../python/python.js");
  const python = await Python.start({
    ...read,
    gpu: null,
    onEvent: () => {},
    onOutput: (bytes, stream) => writeAll(FD[stream], bytes),
  });
  for (const shown of mounted) python.mount(shown);
  python.enter(current, folder);
  return python;
}
