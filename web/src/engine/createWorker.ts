import address from "../worker/main.ts?worker&url";

// A dynamic import: a static one would be loaded as a worker from the host, which the policy forbids. The page's first
// message may arrive before the module is loaded.
const STARTER = `
self.firstMessage = new Promise((resolve) => { self.onmessage = ({ data }) => resolve(data); });
import(ADDRESS).catch((error) => setTimeout(() => { throw error; }));
`;

let url = "";

/**
 * The worker, with the page's Content-Security-Policy. A worker loaded from a host gets its policy from the host's
 * headers, which many hosts do not set; a worker loaded from a blob inherits the page's policy.
 */
export function createWorker(): Worker {
  if (!url) {
    const source = STARTER.replace("ADDRESS", JSON.stringify(new URL(address, import.meta.url).href));
    url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  }
  return new Worker(url, { type: "module", name: "tabgrad" });
}
