/** Which key does what: one table, from which the help is made too. */

export type Command =
  | "back"
  | "on"
  | "eventBack"
  | "eventOn"
  | "up"
  | "down"
  | "first"
  | "last"
  | "play"
  | "inspect"
  | "producer"
  | "consumer"
  | "twin"
  | "open"
  | "close"
  | "find"
  | "fit"
  | "zoomIn"
  | "zoomOut"
  | "view"
  | "step"
  | "continue"
  | "stop"
  | "help"
  | "leave";

export interface Binding {
  readonly command: Command;
  /** As `KeyboardEvent.key` has it. */
  readonly key: string;
  readonly shift?: boolean;
  /** As the help shows it. */
  readonly shown: string;
  readonly does: string;
}

export const BINDINGS: readonly Binding[] = [
  { command: "back", key: "ArrowLeft", shown: "←", does: "one line back" },
  { command: "on", key: "ArrowRight", shown: "→", does: "one line on" },
  {
    command: "eventBack",
    key: "ArrowLeft",
    shift: true,
    shown: "Shift ←",
    does: "one event back",
  },
  {
    command: "eventOn",
    key: "ArrowRight",
    shift: true,
    shown: "Shift →",
    does: "one event on",
  },
  { command: "first", key: "Home", shown: "Home", does: "before the first line" },
  { command: "last", key: "End", shown: "End", does: "the latest, and follow" },
  { command: "play", key: " ", shown: "Space", does: "play or pause" },
  { command: "up", key: "ArrowUp", shown: "↑", does: "row or node above" },
  { command: "down", key: "ArrowDown", shown: "↓", does: "row or node below" },
  {
    command: "inspect",
    key: "Enter",
    shown: "Enter",
    does: "read it in the inspector",
  },
  { command: "producer", key: "[", shown: "[", does: "go to what made it" },
  { command: "consumer", key: "]", shown: "]", does: "go to what reads it" },
  { command: "twin", key: "g", shown: "g", does: "across the mirror: its gradient" },
  { command: "open", key: "e", shown: "e", does: "open a block or a group" },
  { command: "close", key: "c", shown: "c", does: "close it: layers, repeats" },
  { command: "find", key: "/", shown: "/", does: "find by name" },
  { command: "fit", key: "f", shown: "f", does: "fit the graph, or follow it" },
  { command: "zoomIn", key: "+", shown: "+", does: "zoom in (or Ctrl wheel)" },
  { command: "zoomOut", key: "-", shown: "-", does: "zoom out" },
  { command: "view", key: "v", shown: "v", does: "next view: passes, memory, …" },
  { command: "step", key: "n", shown: "n", does: "%%trace --step: run the next line" },
  { command: "continue", key: "r", shown: "r", does: "--step: run to the end" },
  { command: "stop", key: "x", shown: "x", does: "--step: stop the cell" },
  { command: "help", key: "?", shown: "?", does: "this help" },
  { command: "leave", key: "Escape", shown: "Esc", does: "close, let go, leave" },
];

export interface Press {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The command of a key press; nothing for one that is the browser's or the host's. */
export function commandOf(press: Press): Command | undefined {
  if (press.ctrlKey || press.metaKey || press.altKey) return undefined;
  const arrow = press.key.startsWith("Arrow");
  const found = BINDINGS.find(
    ({ key, shift = false }) =>
      key === press.key && (!arrow || shift === press.shiftKey),
  );
  return found?.command;
}
