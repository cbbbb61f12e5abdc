import { render } from "preact";
import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/controls.css";
import "./styles/script.css";
import "./styles/training.css";
import { App } from "./components/App.tsx";
import { addTaker } from "./engine/events.ts";
import { control, listen, startPython, stop, train } from "./engine/engine.ts";
import { panels } from "./panels/panels.ts";
import { watchScripts } from "./state/script.ts";
import { watchTheme } from "./state/theme.ts";
import { watchTuning } from "./state/tuning.ts";

startPython(); // first, because the download takes longest
watchTheme();
watchTuning();
watchScripts();
panels.forEach(addTaker);

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
