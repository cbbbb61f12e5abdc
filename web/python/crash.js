// Fatal errors of Pyodide, which end Python rather than a script, as messages for the script's author.

/** @typedef {import("pyodide").PyodideInterface} PyodideInterface */

/**
 * @typedef {object} Crash
 * @property {string} message the error, as a sentence without full stop
 * @property {string} traceback of the script, if Python could still print it; may be empty
 * @property {number | null} line of the script
 * @property {number} status the exit status for a process
 */

const ABORTED = 134; // a shell's status of an aborted process

// The messages of Chromium, Firefox and Safari differ.
const OVERFLOW = /call stack|too much recursion|stack overflow/i;
const MEMORY = /out of bounds|null function|signature mismatch|table index|indirect call|not a function/i;
const TRAP = /unreachable|abort/i;
const FULL = /out of memory|memory allocation|could not grow|array buffer allocation/i;

/** Detects the end of one Python. */
export class CrashWatch {
  /** @type {string[] | null} */
  #stack = null;
  #filename = "";
  /** @type {(crash: Crash) => void} */
  #resolve = () => {};
  /** Whether Python has ended. */
  over = false;
  /** @type {Promise<Crash>} */
  crashed = new Promise((resolve) => (this.#resolve = resolve));

  /** Sets the script whose lines are reported. @param {string} filename */
  watch(filename) {
    this.#filename = filename;
  }

  /** Called before Pyodide's module is made. @param {any} settings of it */
  prepare(settings) {
    const print = settings.printErr ?? console.error;
    settings.printErr = (/** @type {string} */ line) => line.startsWith("Aborted(") || print(line); // `crash` has it
  }

  /** Called before Pyodide's module is used. @param {any} module */
  attach(module) {
    const { API } = module;
    const fatal = API.fatal_error;
    API.fatal_error = (/** @type {unknown} */ cause) => {
      const { error } = console;
      console.error = () => {}; // Pyodide would ask for a bug report
      this.#stack ??= [];
      try {
        fatal(cause);
      } finally {
        console.error = error;
        this.end(cause);
      }
    };
  }

  /**
   * Keeps what Python prints during a crash: the stack.
   * @template {string | Uint8Array} T
   * @param {(text: T, stream: "stdout" | "stderr") => void} onOutput
   * @returns {(text: T, stream: "stdout" | "stderr") => void}
   */
  around(onOutput) {
    return (text, stream) => {
      if (this.#stack === null) onOutput(text, stream);
      else this.#stack.push(typeof text === "string" ? `${text}\n` : new TextDecoder().decode(text));
    };
  }

  /** Python has ended, or is unusable. @param {unknown} cause */
  end(cause) {
    if (this.over) return;
    this.over = true;
    this.#resolve({ ...describe(cause), ...this.#where() });
  }

  /** The script's part of the stack, the newest call last. */
  #where() {
    const frames = [...(this.#stack ?? []).join("").matchAll(/^ {2}File "(.+)", line (\d+) in (.+)$/gm)];
    const first = frames.findLastIndex(([, file]) => file === this.#filename);
    const own = frames.slice(0, first + 1).reverse();
    const lines = withoutRepeats(own.map(([, file, line, name]) => `  File "${file}", line ${line}, in ${name}`));
    const newest = own.findLast(([, file]) => file === this.#filename);
    return {
      traceback: lines.length ? ["Traceback (most recent call last):", ...lines].join("\n") : "",
      line: newest ? Number(newest[2]) : null,
    };
  }
}

/** @param {unknown} cause @returns {{message: string, status: number}} */
function describe(cause) {
  const { status, name, message } = /** @type {{status?: unknown, name?: unknown, message?: unknown}} */ (cause ?? {});
  const text = String(message ?? cause);
  if (name === "PythonError") return { message: `the script damaged Python itself (${last(text)})`, status: ABORTED };
  if (typeof status === "number") return { message: `the script ended Python itself, with exit status ${status}`, status };
  return { message: words(text), status: ABORTED };
}

/** @param {string} text of a JavaScript error */
function words(text) {
  if (OVERFLOW.test(text)) return "Python's stack overflowed: calls or data are nested too deeply";
  if (FULL.test(text)) return "Python ran out of memory";
  if (MEMORY.test(text)) return "Python used memory that is not its own, as ctypes can";
  if (TRAP.test(text)) return "Python was aborted";
  return `Python failed (${last(text)})`;
}

/** Shortens runs of equal lines, as Python's tracebacks do. @param {string[]} lines */
function withoutRepeats(lines) {
  const shown = [];
  for (let i = 0, next; i < lines.length; i = next) {
    for (next = i + 1; lines[next] === lines[i]; ) next += 1;
    shown.push(lines[i]);
    if (next - i > 1) shown.push(`  [Previous line repeated ${next - i - 1} more times]`);
  }
  return shown;
}

/** The last line. @param {string} text */
function last(text) {
  return text.trim().split("\n").at(-1);
}
