import { computed, signal } from "@preact/signals";
import { EXAMPLES } from "../examples.ts";

const edited = signal<Record<string, string>>({});

export const exampleId = signal(EXAMPLES[0].id);

export const example = computed(() => EXAMPLES.find(({ id }) => id === exampleId.value) ?? EXAMPLES[0]);

/** The script in the editor; edits of one example are kept while another is shown. */
export const source = computed(() => edited.value[exampleId.value] ?? example.value.source);

export const isEdited = computed(() => source.value !== example.value.source);

export function editSource(text: string): void {
  edited.value = { ...edited.value, [exampleId.value]: text };
}

export function restoreExample(): void {
  editSource(example.value.source);
}
