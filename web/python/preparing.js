import { buffersOf } from "./crew.js";

/** @typedef {import("./crew.js").Letter} Letter */

/**
 * Answers letters one after the other, as soon as Python has started.
 * @param {Promise<import("./python.js").Python>} starting
 * @param {(letter: Letter, moved: ArrayBuffer[]) => void} post
 * @param {(error: unknown) => void} fail told, once, that this thread answers no more: Python did not start, or has ended
 * @returns {(letter: Letter) => void} receives them
 */
export function answerLetters(starting, post, fail) {
  let last = starting.then((python) => python.openPreparer());
  let failed = false;
  const failOnce = (/** @type {unknown} */ error) => {
    if (!failed) fail(error);
    failed = true;
  };
  last.catch(failOnce);
  return ({ parts }) => {
    last = last.then((answer) => {
      const answered = answer(parts);
      post({ parts: answered }, buffersOf(answered));
      return answer;
    });
    last.catch(failOnce);
  };
}
