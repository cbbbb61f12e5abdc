/**
 * Runs the due callbacks of Python's event loop, one message per round, so that the page's messages
 * are handled between any two rounds.
 *
 * Pyodide 314 posts a message for each callback but runs all waiting callbacks at the first of them
 * (https://github.com/pyodide/pyodide/pull/5947); with two tasks the empty messages pile up, and the
 * page's wait behind them: 2.2 s after ten seconds of 60 ms steps, and growing. Delete this when
 * Pyodide posts one message a round.
 * @returns {(callback: () => void, delayMs: number) => void}
 */
export function makeSchedule() {
  const { port1, port2 } = new MessageChannel();
  /** @type {(() => void)[]} */
  let due = [];
  port1.onmessage = () => {
    const round = due;
    due = []; // later callbacks run in the next round
    for (const callback of round) {
      try {
        callback();
      } catch (error) {
        reportError(error);
      }
    }
  };
  return (callback, delayMs) => {
    if (delayMs > 2) setTimeout(callback, delayMs);
    else if (due.push(callback) === 1) port2.postMessage(null);
  };
}
