/** A view as a page has it whose code is all there: views with charts open at once. */

import * as charts from "../src/charts";
import type { Log } from "../src/events";
import type { ViewOptions } from "../src/view";
import { mount as mountWith, type Mounted } from "../src/page";

export function mount(place: HTMLElement, log: Log, options: ViewOptions = {}): Mounted {
  return mountWith(place, log, { charts: () => () => charts, ...options });
}
