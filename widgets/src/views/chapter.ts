/** A view of the log beside the trace itself: it has a tab once there is anything in it. */

import type { Frame } from "../draw/look";
import type { Trace } from "../state/trace";

export interface Chapter {
  readonly title: string;
  readonly element: HTMLElement;
  available(trace: Trace): boolean;
  update(frame: Frame): void;
  dispose?(): void;
}
