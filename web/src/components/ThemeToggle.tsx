import { dark, toggleTheme } from "../state/theme.ts";

export function ThemeToggle() {
  const label = dark.value ? "Use light colours" : "Use dark colours";
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={toggleTheme}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" stroke-width="1.5" />
        <path d="M8 1.75a6.25 6.25 0 0 1 0 12.5z" fill="currentColor" />
      </svg>
    </button>
  );
}
