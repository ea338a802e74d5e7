/** Which key does what: one table, from which the help is made too. */

/** A key as the help shows it, its command, and what that does. */
export const BINDINGS = [
  ["←", "back", "one line back"],
  ["→", "on", "one line on"],
  ["Shift ←", "eventBack", "one event back"],
  ["Shift →", "eventOn", "one event on"],
  ["Home", "first", "before the first line"],
  ["End", "last", "the latest, and follow"],
  ["Space", "play", "play or pause"],
  ["↑", "up", "row, node or line above"],
  ["↓", "down", "row, node or line below"],
  ["Enter", "inspect", "read it in the inspector"],
  ["i", "wide", "source and inspector: wide, or not"],
  ["[", "producer", "go to what made it"],
  ["]", "consumer", "go to what reads it"],
  ["g", "twin", "across the mirror: its gradient"],
  ["e", "open", "open a block or a group"],
  ["c", "close", "close it: layers, repeats"],
  ["1 … 9", "level", "open so many levels of layers"],
  [",", "earlier", "the training step before"],
  [".", "later", "the training step after"],
  ["/", "find", "find by name"],
  ["f", "fit", "fit the graph, or follow it"],
  ["+", "zoomIn", "open the box, else zoom in (or Ctrl wheel)"],
  ["-", "zoomOut", "close what is around it, else zoom out"],
  ["w", "panUp", "graph: look further up"],
  ["s", "panDown", "further down"],
  ["a", "panLeft", "further left"],
  ["d", "panRight", "further right"],
  ["v", "view", "next view: passes, memory, …"],
  ["n", "step", "%%trace --step: run the next line"],
  ["r", "continue", "--step: run to the end"],
  ["x", "stop", "--step: stop the cell"],
  ["?", "help", "this help"],
  ["Esc", "leave", "close, let go, leave"],
] as const;

export type Command = (typeof BINDINGS)[number][1];

/** What the help shows in place of `KeyboardEvent.key`. */
const SHOWN: Readonly<Record<string, string>> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  " ": "Space",
  Escape: "Esc",
};

export type Press = Pick<
  KeyboardEvent,
  "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey"
>;

/** Whether a press is the view's; with Ctrl, Cmd or Alt it is the browser's or the host's. */
export function isPlain({ ctrlKey, metaKey, altKey }: Press): boolean {
  return !ctrlKey && !metaKey && !altKey;
}

/** The command of a key press. Shift counts with arrows: some keyboards need it for `?`. */
export function commandOf(press: Press): Command | undefined {
  if (!isPlain(press)) return undefined;
  if (/^[1-9]$/.test(press.key)) return "level";
  const sign = SHOWN[press.key] ?? press.key;
  const shifted = press.shiftKey && press.key.startsWith("Arrow");
  const wanted = shifted ? `Shift ${sign}` : sign;
  return BINDINGS.find(([shown]) => shown === wanted)?.[1];
}

/** How far a key goes in a part that has keys of its own: then nobody else hears of it. */
export function ownKey(
  event: KeyboardEvent,
  amounts: Readonly<Record<string, number>>,
): number | undefined {
  const amount = isPlain(event) ? amounts[event.key] : undefined;
  if (amount === undefined) return undefined;
  event.preventDefault();
  event.stopPropagation();
  return amount;
}
