import { computed, signal } from "@preact/signals";
import { EXAMPLES } from "../examples.ts";
import { keepDraft, newestDraft, readDraft, watchDrafts } from "./drafts.ts";

const edited = signal<Record<string, string>>(drafts());
const editedHere = new Set<string>();

export const exampleId = signal((EXAMPLES.find(({ id }) => id === newestDraft()) ?? EXAMPLES[0]).id);

export const example = computed(() => EXAMPLES.find(({ id }) => id === exampleId.value) ?? EXAMPLES[0]);

/** The script in the editor; edits of one example are kept while another is shown. */
export const source = computed(() => edited.value[exampleId.value] ?? example.value.source);

export const isEdited = computed(() => source.value !== example.value.source);

/** Stores an edit; the text that was set in the editor does not count as an edit. */
export function editSource(text: string): void {
  if (text === source.peek()) return;
  const { id, source: original } = example.value;
  edited.value = { ...edited.value, [id]: text };
  editedHere.add(id);
  keepDraft(id, text === original ? null : text);
}

export function restoreExample(): void {
  editSource(example.value.source);
}

/** Applies other tabs' edits, except of examples that were edited in this tab. */
export function watchScripts(): void {
  watchDrafts((id, text) => {
    const original = EXAMPLES.find((one) => one.id === id);
    if (original && !editedHere.has(id)) edited.value = { ...edited.value, [id]: text ?? original.source };
  });
}

function drafts(): Record<string, string> {
  const kept = EXAMPLES.map(({ id }) => [id, readDraft(id)]);
  return Object.fromEntries(kept.filter(([, text]) => text !== null));
}
