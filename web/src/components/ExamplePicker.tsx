import { EXAMPLES } from "../examples.ts";
import { exampleId } from "../state/script.ts";

export function ExamplePicker() {
  return (
    <div class="select">
      <select
        id="example"
        aria-label="Example script"
        value={exampleId.value}
        onChange={(event) => (exampleId.value = event.currentTarget.value)}
      >
        {EXAMPLES.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}
