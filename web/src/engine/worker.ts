import address from "../worker/main.ts?worker&url";

// Imported when it runs: a static import would be loaded as a worker of the host's own, which the policy forbids. The
// page's first message may come before the module is there.
const STARTER = `
self.firstMessage = new Promise((resolve) => { self.onmessage = ({ data }) => resolve(data); });
import(ADDRESS).catch((error) => setTimeout(() => { throw error; }));
`;

let url = "";

/**
 * The worker, under the page's own policy (Content-Security-Policy): a worker whose script comes from a host has the
 * policy that the host's headers name, and many hosts name none; one whose script comes from a blob inherits the page's.
 */
export function createWorker(): Worker {
  if (!url) {
    const source = STARTER.replace("ADDRESS", JSON.stringify(new URL(address, import.meta.url).href));
    url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  }
  return new Worker(url, { type: "module", name: "tabgrad" });
}
