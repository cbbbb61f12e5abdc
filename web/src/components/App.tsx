import { panels } from "../panels/panels.ts";
import { Controls } from "./Controls.tsx";
import { Header } from "./Header.tsx";
import { Notice } from "./Notice.tsx";
import { ScriptPanel } from "./ScriptPanel.tsx";
import { StatusLine } from "./StatusLine.tsx";

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
          {panels.map(({ order, View }) => (
            <View key={order} />
          ))}
        </section>
      </main>
    </>
  );
}
