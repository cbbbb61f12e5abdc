import { writeSync } from "node:fs";

const BROKEN_PIPE = 141; // what a shell reports of a program that SIGPIPE ended
const RETRY_MS = 5;

/**
 * Writes all of it before it returns, so that nothing is lost at the end or overtaken. Nobody reads any more where the
 * pipe is broken (`| head`): this program then ends.
 * @param {number} fd
 * @param {Uint8Array | string} content
 */
export function writeAll(fd, content) {
  let rest = typeof content === "string" ? Buffer.from(content) : content;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      if (code === "EPIPE") process.exit(BROKEN_PIPE);
      if (code !== "EAGAIN") throw error;
      pause(RETRY_MS); // the pipe is full, and was made so that it does not wait
    }
  }
}

/** @param {number} ms */
function pause(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
