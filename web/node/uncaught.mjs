import { describeUncaught } from "../python/uncaught.js";

/**
 * From now on an error that no script caught is a line on stderr, and a script that waits for nothing ends.
 * @param {import("../python/python.js").Python} python
 * @param {() => void} onEnd before the process ends
 */
export function watchProcess(python, onEnd) {
  const tell = (/** @type {unknown} */ error) => {
    if (!python.isOver) console.error(describeUncaught(error)); // what follows a crash is part of it
  };
  process.on("uncaughtException", tell);
  process.on("unhandledRejection", tell);
  process.on("beforeExit", () => {
    onEnd();
    console.error("run.mjs: the script awaits something that nothing will ever bring about");
    process.exit(1);
  });
}
