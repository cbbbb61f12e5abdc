// What Python writes, and how it is interrupted: the two things that happen while it computes and no message arrives.

/** What Ctrl+C sends. */
const SIGINT = 2;

/**
 * Connects both output streams and the interrupt buffer.
 * @param {import("pyodide").PyodideInterface} pyodide
 * @param {import("./python.js").StartOptions} options
 * @returns {() => void} interrupts Python, the next time that it reads the buffer; nothing where there is none
 */
export function connectStreams(pyodide, { onOutput, isTerminal, onTurn, interrupt }) {
  /** @param {"stdout" | "stderr"} stream */
  const writer = (stream) => ({
    isatty: isTerminal?.(stream) ?? false,
    write: (/** @type {Uint8Array} */ bytes) => {
      onOutput(bytes, stream);
      return bytes.length;
    },
  });
  pyodide.setStdout(writer("stdout"));
  pyodide.setStderr(writer("stderr"));
  if (!interrupt) return () => {};
  // Python reads the buffer some thousand times a second, whatever it computes.
  const watched = {
    get 0() {
      onTurn?.();
      return interrupt[0];
    },
    set 0(signal) {
      interrupt[0] = signal;
    },
  };
  pyodide.setInterruptBuffer(/** @type {Uint8Array} */ (/** @type {unknown} */ (watched)));
  return () => void (interrupt[0] = SIGINT);
}
