import type { Manifest } from "../../python/python.js";

const REPORT_EVERY_MS = 80;

/**
 * Requests all files of the bundle in parallel, and returns them to later calls of `fetch`.
 *
 * Modules (`.mjs`) are imported, since `import` does not go through `fetch`; they come first, because browsers request
 * only six files of a host at once. Bytes are counted on a clone: the original stays the browser's own response, which keeps its cache of compiled wasm.
 *
 * The promise never resolves; it rejects if a file cannot be downloaded, where Pyodide would wait forever.
 */
export function downloadBundle(
  root: string,
  manifest: Manifest,
  onProgress: (received: number, total: number) => void,
): Promise<never> {
  const fromNetwork = self.fetch.bind(self);
  const isModule = ({ path }: { path: string }) => path.endsWith(".mjs");
  const files = manifest.files.filter((file) => !isModule(file));
  for (const { path } of manifest.files.filter(isModule)) {
    import(/* @vite-ignore */ root + path).catch(() => {}); // who uses the module imports it too, and fails
  }
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let received = 0;
  let reportedMs = 0;

  const count = (bytes: number) => {
    received += bytes;
    const now = performance.now();
    if (received < total && now - reportedMs < REPORT_EVERY_MS) return;
    reportedMs = now;
    onProgress(received, total);
  };

  const waiting = new Map<string, Promise<Response>>();
  const failure = new Promise<never>((_, reject) => {
    for (const { path } of files) {
      const fail = ({ message }: Error): never => {
        throw new Error(`${path} could not be downloaded (${message}); is the connection up?`);
      };
      const response = request(fromNetwork, root + path).catch(fail);
      response.then((ok) => countBytes(ok.clone(), count).catch(fail)).catch(reject);
      waiting.set(root + path, response);
    }
  });

  self.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const response = waiting.get(url);
    if (!response) return fromNetwork(input, init);
    waiting.delete(url); // a body can be read once
    return response;
  };
  return failure;
}

async function request(fetch: typeof self.fetch, url: string): Promise<Response> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response;
}

async function countBytes(response: Response, count: (bytes: number) => void): Promise<void> {
  const reader = response.body?.getReader();
  if (!reader) return;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    count(value.length);
  }
}
