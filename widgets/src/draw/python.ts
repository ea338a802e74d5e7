/** Just enough of Python's grammar to colour a line: nothing is parsed across lines. */

import { el } from "./dom";

export type TokenKind = "plain" | "comment" | "string" | "keyword" | "number";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const KEYWORDS =
  "and|as|assert|async|await|break|class|continue|def|del|elif|else|except|False|" +
  "finally|for|from|global|if|import|in|is|lambda|None|nonlocal|not|or|pass|raise|" +
  "return|True|try|while|with|yield";

const PATTERN = new RegExp(
  [
    "(?<comment>#.*)",
    "(?<string>[rbfuRBFU]{0,2}(?:\"(?:[^\"\\\\]|\\\\.)*\"?|'(?:[^'\\\\]|\\\\.)*'?))",
    `(?<keyword>(?<![\\w.])(?:${KEYWORDS})(?!\\w))`,
    "(?<number>(?<![\\w.])\\d[\\w.]*)",
  ].join("|"),
  "g",
);

export function tokens(line: string): Token[] {
  const found: Token[] = [];
  let end = 0;
  for (const match of line.matchAll(PATTERN)) {
    if (match.index > end)
      found.push({ kind: "plain", text: line.slice(end, match.index) });
    const groups = Object.entries(match.groups ?? {});
    const kind = groups.find(([, text]) => text !== undefined)?.[0] as TokenKind;
    found.push({ kind, text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < line.length) found.push({ kind: "plain", text: line.slice(end) });
  return found;
}

/** A name longer than this may break after an underscore. */
const LONG = 22;
/** A line that goes on below does so no further in than this many letters. */
const DEEPEST = 16;

/** A line as it is shown: coloured, and what does not fit goes on further in. */
export function codeLine(text: string, pieces = tokens(text)): HTMLElement {
  const parts = pieces.map(({ kind, text: part }) =>
    el("span", `tg-py-${kind}`, ...breakable(kind, part)),
  );
  const line = el("span", "tg-linetext", ...parts);
  const indent = Math.min(DEEPEST, text.search(/\S|$/));
  line.style.setProperty("--tg-indent", `${indent}ch`);
  return line;
}

/** Let a long line break after a dot, a comma or a bracket, but no number in two. */
function breakable(kind: string, text: string): (string | HTMLElement)[] {
  const pieces = kind === "number" ? [text] : text.split(/(?<=[.,(=])(?!\))/);
  const parts = pieces.flatMap((piece) =>
    piece.length > LONG ? piece.split(/(?<=_)/) : [piece],
  );
  return parts.flatMap((part, index) => (index === 0 ? [part] : [el("wbr", ""), part]));
}
