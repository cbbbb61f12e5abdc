import { useSignal } from "@preact/signals";
import { setLearningRate } from "../../engine/engine.ts";
import { formatRate } from "../../format.ts";
import { activity, learningRate } from "../../state/run.ts";

// The slider moves on a logarithmic scale, from 1e-5 to 1.
const LOWEST_EXPONENT = -5;
const HIGHEST_EXPONENT = 0;

/** Shows the current rate and changes it during training. */
export function LearningRate() {
  const typed = useSignal<string | null>(null);
  const rate = learningRate.value;
  const enabled = rate !== null && (activity.value === "running" || activity.value === "paused");

  const commit = (text: string) => {
    typed.value = null;
    const value = Number(text);
    if (text.trim() !== "" && Number.isFinite(value) && value >= 0 && value !== rate) setLearningRate(value);
  };

  return (
    <div class="figure rate">
      <label for="rate-value">Learning rate</label>
      <div class="rate-inputs">
        <input
          id="rate-value"
          class="rate-value number"
          type="text"
          inputMode="decimal"
          autocomplete="off"
          spellcheck={false}
          disabled={!enabled}
          value={typed.value ?? (rate === null ? "–" : formatRate(rate))}
          onInput={(event) => (typed.value = event.currentTarget.value)}
          onBlur={(event) => commit(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") commit(event.currentTarget.value);
            if (event.key === "Escape") typed.value = null;
          }}
        />
        <input
          class="rate-slider"
          type="range"
          aria-label="Learning rate, logarithmic"
          min={LOWEST_EXPONENT}
          max={HIGHEST_EXPONENT}
          step={0.05}
          disabled={!enabled}
          value={rate ? Math.log10(rate) : -3}
          onInput={(event) => commit((10 ** Number(event.currentTarget.value)).toPrecision(2))}
        />
      </div>
    </div>
  );
}
