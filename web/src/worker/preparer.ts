// A thread that prepares batches for a loader: a Python of its own, with no GPU.

import manifest from "../../../build/pyodide/manifest.json";
import type { Letter } from "../../python/crew.js";
import { answerLetters } from "../../python/preparing.js";
import { Python } from "../../python/python.js";
import { resolveAddresses } from "./addresses.ts";
import { firstMessage } from "./startWorker.ts";

export interface ThreadStart {
  root: string;
  port: MessagePort;
}

/** What it tells, besides its answers. */
export type ThreadNews = Letter | { printed: Uint8Array } | { broken: string };

void firstMessage<ThreadStart>().then(begin);

function begin({ root, port }: ThreadStart): void {
  const tell = (news: ThreadNews, moved: ArrayBuffer[] = []) => port.postMessage(news, moved);
  resolveAddresses(new URL("..", root).href);
  const starting = Python.start({
    root,
    manifest,
    open: (path) => fetch(root + path),
    gpu: null,
    onEvent: () => {},
    onOutput: (bytes) => tell({ printed: bytes.slice() }),
  });
  const fail = (error: unknown) => tell({ broken: error instanceof Error ? error.message : String(error) });
  const receive = answerLetters(starting, tell, fail);
  port.onmessage = ({ data }: MessageEvent<Letter>) => receive(data);
}
