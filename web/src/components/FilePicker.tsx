import { useSignal } from "@preact/signals";
import { provideFile } from "../engine/engine.ts";
import { formatBytes } from "../format.ts";

/** Files in the format of MNIST, which stay in this tab; Python reads and checks them. */
export function FilePicker() {
  return (
    <fieldset class="files">
      <legend class="visually-hidden">Files in the format of MNIST</legend>
      <FileSlot name="Images" path="images.idx" hint="train-images-idx3-ubyte, or .gz" />
      <FileSlot name="Labels" path="labels.idx" hint="train-labels-idx1-ubyte, or .gz" />
    </fieldset>
  );
}

/** The chosen file of each path, until the page is closed. */
const chosen = new Map<string, string>();

function FileSlot({ name, path, hint }: { name: string; path: string; hint: string }) {
  const description = useSignal(chosen.get(path) ?? "");
  const problem = useSignal(false);

  const take = async (file: File | undefined) => {
    if (!file) return;
    try {
      provideFile(path, new Uint8Array(await file.arrayBuffer()));
      description.value = `${file.name}, ${formatBytes(file.size)}`;
      chosen.set(path, description.value);
      problem.value = false;
    } catch {
      description.value = `${file.name} could not be read; choose it again`;
      problem.value = true;
    }
  };

  return (
    <label class="file">
      <span class="file-name">{name}</span>
      <span class="file-chosen" data-problem={problem.value} data-empty={description.value === ""}>
        {description.value || hint}
      </span>
      <span class="button button-small" aria-hidden="true">
        Choose…
      </span>
      <input
        class="visually-hidden"
        type="file"
        aria-label={`${name} file, as ${path}`}
        onChange={(event) => void take(event.currentTarget.files?.[0])}
      />
    </label>
  );
}
