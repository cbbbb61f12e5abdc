import type { OpenThread } from "../../python/crew.js";
import address from "./preparer.ts?worker&url";
import type { ThreadNews, ThreadStart } from "./preparer.ts";
import { startWorker } from "./startWorker.ts";

/**
 * Opens threads that prepare batches.
 * @param root the bundle's folder
 * @param write takes what their scripts print
 */
export function threadsFor(root: string, write: (bytes: Uint8Array) => void): OpenThread {
  return ({ hear, lose }) => {
    const worker = startWorker(new URL(address, import.meta.url).href, "tabgrad batches");
    const { port1, port2 } = new MessageChannel();
    worker.onerror = (event) => lose(event.message || "the browser ended it");
    port1.onmessage = ({ data }: MessageEvent<ThreadNews>) => {
      if ("printed" in data) write(data.printed);
      else if ("broken" in data) lose(data.broken);
      else hear(data);
    };
    const start: ThreadStart = { root, port: port2 };
    worker.postMessage(start, [port2]);
    return {
      post: (letter, moved) => port1.postMessage(letter, moved),
      end: () => {
        worker.terminate();
        port1.close();
      },
    };
  };
}
