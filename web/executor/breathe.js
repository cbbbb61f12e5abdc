/**
 * Lets the event loop deliver messages once. A MessageChannel hop is not clamped to 4 ms like a
 * timer, and unlike a resolved promise it lets other messages in. Node has `setImmediate` for that.
 * @returns {() => Promise<void>}
 */
export function makeBreathe() {
  const immediate = /** @type {{setImmediate?: (callback: () => void) => void}} */ (globalThis).setImmediate;
  if (immediate) return () => new Promise((resolve) => immediate(resolve));
  const { port1, port2 } = new MessageChannel();
  /** @type {(() => void)[]} */
  const waiting = [];
  port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      port2.postMessage(null);
    });
}
