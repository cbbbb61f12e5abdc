import { DeviceBadge } from "./DeviceBadge.tsx";
import { ThemeToggle } from "./ThemeToggle.tsx";

export function Header() {
  return (
    <header class="header">
      <h1 class="wordmark">tabgrad</h1>
      <p class="tagline">Train neural networks in this tab, in Python, on your own GPU.</p>
      <DeviceBadge />
      <ThemeToggle />
    </header>
  );
}
