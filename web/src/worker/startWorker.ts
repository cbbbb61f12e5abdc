// A dynamic import: a static one would be loaded as a worker from the host, which the policy forbids. The first message
// may arrive before the module is loaded.
const STARTER = `
self.firstMessage = new Promise((resolve) => { self.onmessage = ({ data }) => resolve(data); });
import(ADDRESS).catch((error) => setTimeout(() => { throw error; }));
`;

const urls = new Map<string, string>();

/**
 * A worker that runs a module, with the page's Content-Security-Policy. A worker loaded from a host gets its policy from
 * the host's headers, which many hosts do not set; a worker loaded from a blob inherits the policy of who makes it.
 * The module takes the first message by {@link firstMessage}.
 */
export function startWorker(address: string, name: string): Worker {
  let url = urls.get(address);
  if (!url) {
    const source = STARTER.replace("ADDRESS", JSON.stringify(address));
    url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    urls.set(address, url);
  }
  return new Worker(url, { type: "module", name });
}

/** In such a worker: the first message, of which scripts that run there later learn nothing. */
export function firstMessage<Message>(): Promise<Message> {
  const scope = self as typeof self & { firstMessage?: Promise<Message> };
  const message = scope.firstMessage;
  delete scope.firstMessage;
  if (!message) throw new Error("a worker's module is imported by startWorker alone");
  return message.then((data) => {
    self.onmessage = null;
    return data;
  });
}
