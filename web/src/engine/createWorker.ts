import address from "../worker/main.ts?worker&url";
import { startWorker } from "../worker/startWorker.ts";

/** The worker that trains. */
export function createWorker(): Worker {
  return startWorker(new URL(address, import.meta.url).href, "tabgrad");
}
