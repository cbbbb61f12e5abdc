// Edited scripts outlast the page: each is kept in the browser's storage under its example's name.

import { signal } from "@preact/signals";

const PREFIX = "tabgrad.script.";
const NEWEST = "tabgrad.script";

/** An edit is written after so much time without another; what a killed page loses. */
const WRITE_AFTER_MS = 250;

/** Storage holds some five million characters, for all that this site keeps. */
const MOST_CHARACTERS = 1_000_000;

/** Why edits will not be there after a reload, as a sentence; empty while they will. */
export const notKept = signal("");

/** Edited here and not yet written; null where the edits were undone. What other tabs edit, this one never writes. */
const waiting = new Map<string, string | null>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** The kept text of an example's script; null where it is as it was. */
export function readDraft(id: string): string | null {
  try {
    return localStorage.getItem(PREFIX + id);
  } catch {
    return null; // told at the first edit
  }
}

/** The example that was edited last. */
export function newestDraft(): string | null {
  try {
    return localStorage.getItem(NEWEST);
  } catch {
    return null;
  }
}

/** Keeps a script that was edited in this tab; null forgets it. */
export function keepDraft(id: string, text: string | null): void {
  waiting.set(id, text);
  clearTimeout(timer);
  timer = setTimeout(write, WRITE_AFTER_MS);
}

/** Writes in time when the page goes; `changed` hears of another tab's edits of what has not been edited here. */
export function watchDrafts(changed: (id: string, text: string | null) => void): void {
  addEventListener("pagehide", write);
  document.addEventListener("visibilitychange", write);
  addEventListener("storage", ({ key, newValue }) => {
    const id = key?.startsWith(PREFIX) ? key.slice(PREFIX.length) : null;
    if (id !== null) changed(id, newValue);
  });
}

function write(): void {
  clearTimeout(timer);
  const problems = [...waiting].map(([id, text]) => store(id, text)).filter(Boolean);
  if (waiting.size > 0) notKept.value = problems[0] ?? "";
  waiting.clear();
}

/** Returns why it could not be kept, or nothing; what was kept before then stays. */
function store(id: string, text: string | null): string {
  const consequence = "the newest edits will be gone when it is closed or reloaded; copy the script to keep it.";
  if (text !== null && text.length > MOST_CHARACTERS) {
    return `This page keeps no scripts of over a million characters: ${consequence}`;
  }
  try {
    if (text !== null) {
      localStorage.setItem(PREFIX + id, text);
      localStorage.setItem(NEWEST, id);
    } else {
      localStorage.removeItem(PREFIX + id);
      if (localStorage.getItem(NEWEST) === id) localStorage.removeItem(NEWEST);
    }
    return "";
  } catch {
    return `This browser stores nothing for this page, or has no room: ${consequence}`;
  }
}
