/** The view without a kernel: from a log that is all there. */

import type { Log } from "./events";
import { EventLog } from "./log";
import { readLog } from "./validate";
import { View, type ViewOptions } from "./view";

export interface Mounted {
  readonly element: HTMLElement;
  /** Show the state after so many events; Infinity is the end. */
  seek(position: number): void;
  dispose(): void;
}

/**
 * Show a log inside `el`. What cannot be read as a log is said in words, in its place.
 */
export function mount(el: HTMLElement, log: Log, options: ViewOptions = {}): Mounted {
  const events = new EventLog();
  const view = new View(events, options);
  try {
    const { title, events: items } = readLog(log);
    events.accept(0, items);
    view.configure({ title, ...options });
  } catch (error) {
    view.complain((error as Error).message);
  }
  el.append(view.element);
  view.redraw();
  return {
    element: view.element,
    seek: (position) => view.seek(position),
    dispose: () => view.dispose(),
  };
}
