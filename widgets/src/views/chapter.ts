/** A view of the log beside the trace itself: it has a tab once there is anything in it. */

import type { Frame } from "../draw/look";
import type { Trace } from "../state/trace";

/** What is behind a tab. */
export interface Panel {
  readonly element: HTMLElement;
  update(frame: Frame): void;
  dispose?(): void;
}

export interface Chapter extends Panel {
  readonly title: string;
  available(trace: Trace): boolean;
}
