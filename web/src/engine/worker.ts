import address from "../worker/main.ts?worker&url";

const TYPE = { type: "text/javascript" };

let url = "";

/**
 * The worker, under the page's own policy (Content-Security-Policy): a worker whose script comes from a host has the
 * policy that the host's headers name, and many hosts name none; one whose script comes from a blob inherits the page's.
 */
export function createWorker(): Worker {
  url ||= URL.createObjectURL(new Blob([`import ${JSON.stringify(new URL(address, import.meta.url).href)};`], TYPE));
  return new Worker(url, { type: "module", name: "tabgrad" });
}
