import { render } from "preact";
import { App } from "./components/App.tsx";
import { control, listen, startPython, stop, train } from "./engine/engine.ts";
import { watchScripts } from "./state/script.ts";
import { watchTheme } from "./state/theme.ts";
import { watchTuning } from "./state/tuning.ts";
import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/controls.css";
import "./styles/script.css";
import "./styles/training.css";
import "./styles/tuning.css";
import "./styles/kernels.css";

startPython(); // first, because the download takes longest
watchTheme();
watchTuning();
watchScripts();

const root = document.getElementById("app");
if (root) render(<App />, root);

// For the browser's console, and for pages that embed this one.
Object.assign(globalThis, { tabgrad: { train, stop, control, listen } });

addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation(); // the editor would insert a line
    train();
  },
  { capture: true },
);
