// Python's output and its interrupts, which work while it computes and no message arrives.

/** The signal of Ctrl+C. */
const SIGINT = 2;

/**
 * Connects both output streams and the interrupt buffer.
 * @param {import("pyodide").PyodideInterface} pyodide
 * @param {import("./python.js").StartOptions} options
 * @returns {() => void} interrupts Python when it next reads the buffer; does nothing without one
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
  // Python reads the buffer some thousand times per second during any computation.
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
