/** Just enough of Python's grammar to colour a line: nothing is parsed across lines. */

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
