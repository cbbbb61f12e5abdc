import { buffersOf } from "./crew.js";

/** @typedef {import("./crew.js").Letter} Letter */

/**
 * Answers letters one after the other, as soon as Python has started.
 * @param {Promise<import("./python.js").Python>} starting
 * @param {(letter: Letter, moved: ArrayBuffer[]) => void} post
 * @returns {(letter: Letter) => void} receives them
 */
export function answerLetters(starting, post) {
  let last = starting.then((python) => python.openPreparer());
  last.catch(() => {}); // who starts Python tells
  return ({ parts }) => {
    last = last.then((answer) => {
      const answered = answer(parts);
      post({ parts: answered }, buffersOf(answered));
      return answer;
    });
  };
}
