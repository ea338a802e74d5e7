/** The view in a notebook: one anywidget module, the exported page's code included. */

import { Connection, type Model } from "./connection";
import type { ThemeChoice } from "./draw/theme";
import { EventLog } from "./log";
import { DEFAULT_HEIGHT, View, type ViewOptions } from "./view";
import type { Load } from "./views/opened";

export { mount } from "./page";

interface RenderProps {
  model: Model;
  el: HTMLElement;
  /** Loads the code of the views that have charts. */
  charts?: Load;
}

/** Draw one view of a model; each view keeps a log of its own, so any number works. */
function render({ model, el, charts }: RenderProps): () => void {
  const log = new EventLog();
  const view = new View(log, { ...optionsOf(model), ...(charts && { charts }) });
  el.append(view.element);
  const connection = new Connection(model, log, {
    changed: () => view.redraw(),
    broken: (why) => view.complain(why),
    waits: (line) => view.waitAt(line),
    lost: () => view.lose(),
  });
  view.onAnswer = (answer) => connection.answer(answer);
  const configure = (): void => view.configure(optionsOf(model));
  const traits = ["change:title", "change:theme", "change:height"];
  for (const trait of traits) model.on(trait, configure);
  connection.open();
  view.redraw();
  return () => {
    for (const trait of traits) model.off(trait, configure);
    connection.close();
    view.dispose();
  };
}

function optionsOf(model: Model): ViewOptions {
  const [title, theme, height] = ["title", "theme", "height"].map((n) => model.get(n));
  return {
    title: typeof title === "string" ? title : "",
    theme: isTheme(theme) ? theme : "auto",
    height: typeof height === "number" && height > 0 ? height : DEFAULT_HEIGHT,
  };
}

function isTheme(value: unknown): value is ThemeChoice {
  return value === "auto" || value === "light" || value === "dark";
}

export default { render };
