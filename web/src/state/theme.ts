import { computed, effect, signal } from "@preact/signals";

const KEY = "tabgrad.theme";
const systemQuery = matchMedia("(prefers-color-scheme: dark)");

const systemDark = signal(systemQuery.matches);
/** The visitor's choice; null follows the system. */
const chosen = signal<"light" | "dark" | null>(stored());

export const dark = computed(() => (chosen.value === null ? systemDark.value : chosen.value === "dark"));

/** Switches to the other theme; follows the system again if that is the system's theme. */
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
    return null; // without storage, a choice lasts until the page closes
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
