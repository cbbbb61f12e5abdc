/**
 * An uncaught error of a script's timer or promise, as a line for its output.
 * @param {unknown} error
 */
export function describeUncaught(error) {
  const text = error instanceof Error ? shown(error) : String(error);
  return `an error in a callback or a promise, which nothing caught; what runs goes on: ${text.trimEnd()}`;
}

/** A Python error's message holds its traceback. @param {Error} error */
function shown({ name, message }) {
  return name === "PythonError" ? `\n${message}` : `${name}: ${message}`;
}
