import { notKept } from "../state/drafts.ts";
import { example, isEdited, restoreExample } from "../state/script.ts";
import { Editor } from "./Editor.tsx";
import { ErrorPanel } from "./ErrorPanel.tsx";
import { ExamplePicker } from "./ExamplePicker.tsx";
import { FilePicker } from "./FilePicker.tsx";
import { OutputPanel } from "./OutputPanel.tsx";

/** The script with its choice, files, errors and output. */
export function ScriptPanel() {
  return (
    <section class="script" aria-label="Script">
      <header class="script-head">
        <ExamplePicker />
        <button type="button" class="link" disabled={!isEdited.value} onClick={restoreExample}>
          Undo edits
        </button>
      </header>
      {example.value.wantsFiles && <FilePicker />}
      {notKept.value && (
        <p class="not-kept" role="status">
          {notKept.value}
        </p>
      )}
      <Editor />
      <ErrorPanel />
      <OutputPanel />
    </section>
  );
}
