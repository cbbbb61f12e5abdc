import { ChartGrid } from "./ChartGrid.tsx";
import { Controls } from "./Controls.tsx";
import { Figures } from "./Figures.tsx";
import { Header } from "./Header.tsx";
import { Kernels } from "./Kernels.tsx";
import { Notice } from "./Notice.tsx";
import { Samples } from "./Samples.tsx";
import { ScriptPanel } from "./ScriptPanel.tsx";
import { StatusLine } from "./StatusLine.tsx";
import { Tuning } from "./Tuning.tsx";

export function App() {
  return (
    <>
      <Header />
      <main class="page">
        <ScriptPanel />
        <section class="training" aria-label="Training">
          <Notice />
          <div class="dock">
            <Controls />
            <StatusLine />
          </div>
          <Figures />
          <ChartGrid />
          <Samples />
          <Kernels />
          <Tuning />
        </section>
      </main>
    </>
  );
}
