// Runs before the page's own scripts: keeps what the worker says and the main thread's long tasks, with times.

globalThis.recorder = (() => {
  const messages = []; // each {at, type, ...}; `at` in ms since navigation
  const longTasks = []; // each {start, duration}, in ms
  const waiting = new Set();
  const ENDS = new Set(["done", "broken"]); // after these nothing else comes

  const matches = (message, wanted) => Object.entries(wanted).every(([key, value]) => message[key] === value);

  /** Of what was printed no more than tests look at, without the line's end, in a string of its own. */
  const printed = ({ text, ...message }) => ({ ...message, text: [...text.slice(0, 2000)].join("").replace(/\n$/, "") });

  function hear(message) {
    const told = message.type === "event" ? message.event : message.type === "output" ? printed(message) : message;
    const heard = { at: performance.now(), ...told };
    messages.push(heard);
    for (const waiter of waiting) {
      if (matches(heard, waiter.wanted)) waiter.resolve(heard);
      else if (ENDS.has(heard.type)) waiter.reject(missed(waiter.wanted, "before the end"));
      else continue;
      waiting.delete(waiter);
    }
  }

  function missed(wanted, when) {
    const last = messages.slice(-5).map((message) => JSON.stringify(message).slice(0, 1000));
    return new Error(`no ${JSON.stringify(wanted)} ${when}; the last messages were\n${last.join("\n")}`);
  }

  /** The first message from number `from` on that has all of `wanted`'s values; soon, or when it comes. */
  function next(wanted, from, timeoutMs) {
    const found = messages.slice(from).find((message) => matches(message, wanted));
    if (found) return found;
    return new Promise((resolve, reject) => {
      const waiter = { wanted, resolve, reject };
      waiting.add(waiter);
      setTimeout(() => {
        if (waiting.delete(waiter)) reject(missed(wanted, `within ${timeoutMs} ms`));
      }, timeoutMs);
    });
  }

  let pings = 0;

  /** Sends a ping; `ms` is how long the answer took, `step` the steps begun by then. */
  async function ping(timeoutMs) {
    const id = `ping ${(pings += 1)}`;
    const sent = performance.now();
    const from = messages.length;
    globalThis.tabgrad.control({ type: "ping", id });
    const { at, step } = await next({ type: "pong", id }, from, timeoutMs);
    return { ms: at - sent, step };
  }

  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) longTasks.push({ start: startTime, duration });
  }).observe({ type: "longtask", buffered: true });

  addEventListener("DOMContentLoaded", () => globalThis.tabgrad.listen(hear));

  return { messages, longTasks, next, ping };
})();
