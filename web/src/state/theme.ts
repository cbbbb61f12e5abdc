import { computed, effect, signal } from "@preact/signals";

const KEY = "tabgrad.theme";
const systemQuery = matchMedia("(prefers-color-scheme: dark)");

const systemDark = signal(systemQuery.matches);
/** The visitor's own choice; null follows the system. */
const chosen = signal<"light" | "dark" | null>(stored());

export const dark = computed(() => (chosen.value === null ? systemDark.value : chosen.value === "dark"));

/** The opposite of what is shown; where that is what the system wants, follow the system again. */
export function toggleTheme(): void {
  const wanted = !dark.value;
  chosen.value = wanted === systemDark.value ? null : wanted ? "dark" : "light";
}

export function watchTheme(): void {
  systemQuery.addEventListener("change", () => (systemDark.value = systemQuery.matches));
  effect(() => {
    if (chosen.value === null) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen.value;
    store(chosen.value);
  });
}

function stored(): "light" | "dark" | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null; // storage is off; a choice then lasts as long as the page
  }
}

function store(choice: "light" | "dark" | null): void {
  try {
    if (choice === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, choice);
  } catch {
    // as above
  }
}
