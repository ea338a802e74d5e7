/** What every pane needs to know to draw a frame, and what it may ask for. */

import type { Step, Trace } from "../state/trace";
import type { save } from "./export";

export interface Frame {
  readonly trace: Trace;
  /** How many events are in the past; the rest is greyed. */
  readonly position: number;
  /** The step under way at the position. */
  readonly step: Step | undefined;
  /** Follows what arrives. */
  readonly live: boolean;
  /** Few enough new things that they may slide in. */
  readonly animate: boolean;
  readonly selected: string | undefined;
  readonly hovered: string | undefined;
  /** What made, or reads, what is pointed at. */
  readonly linked: ReadonlySet<string>;
}

export interface Actions {
  select(key: string | undefined): void;
  hover(key: string | undefined): void;
  seek(position: number): void;
  goToStep(count: number): void;
  redraw(): void;
  /** Save a picture as a file, by code that may have to be loaded first. */
  save(...picture: Parameters<typeof save>): void;
}

/** Whether lines of code ran, or are to run; else a thing is only shown. */
export function isTraced({ steps, cells }: Trace): boolean {
  const isWritten = (line: string): boolean => line.trim() !== "";
  return steps.length > 0 || cells.some(({ lines }) => lines.some(isWritten));
}

export interface Pane {
  readonly element: HTMLElement;
  update(frame: Frame): void;
  dispose?(): void;
}
