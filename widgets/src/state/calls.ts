/** Calls as they are written in the source: they tell apart what one name did. */

/** A call that is longer tells no more than its name. */
const LONGEST = 30;
/** A statement has so many lines at most. */
const MOST_LINES = 12;
/** So much of a line is read. */
const MOST_READ = 200;
/** What a line does with a value is not what made it. */
const PLAIN = /^(print|float|int|str|list|tuple|dict|len|abs|sum|max|min|range|zip|enumerate|return|if|in|not|and|or)$/;

/** The statement that begins at a line: it goes on as long as brackets are open. */
export function statementAt(lines: readonly string[], line: number): string {
  let text = lines[line - 1] ?? "";
  for (let at = line; at < Math.min(lines.length, line + MOST_LINES) && depthOf(text) > 0; at++) {
    text += `\n${lines[at]}`;
  }
  return text;
}

function depthOf(text: string): number {
  return (text.match(/[([{]/g)?.length ?? 0) - (text.match(/[)\]}]/g)?.length ?? 0);
}

/**
 * The call number `turn` of `name` in a text, `critic(fake)`; of a long one the name.
 * Read by hand: a name may be any text.
 */
export function callOf(text: string, name: string, turn: number): string | undefined {
  let at = -1;
  for (let found = 0; found <= turn; ) {
    at = text.indexOf(`${name}(`, at + 1);
    if (at < 0) return undefined;
    if (!/[\w.]/.test(text[at - 1] ?? " ")) found += 1;
  }
  for (let end = at + name.length + 1; end <= at + LONGEST; end++) {
    const call = text.slice(at + name.length, end);
    if (depthOf(call) === 0) return name + call.replace(/\s+/g, " ");
  }
  return name;
}

/** The function that a line calls first, `F.mse_loss()`; empty if it calls none. */
export function calledIn(text: string): string {
  const code = text.slice(0, MOST_READ).replace(/"[^"]*"|'[^']*'/g, "").replace(/#.*/, "");
  const names = [...code.matchAll(/([A-Za-z_][\w.]*)\s*\(/g)].map(([, name]) => name);
  const name = names.find((each) => !PLAIN.test(each)) ?? "";
  return name === "" || name.length + 2 > LONGEST ? "" : `${name}()`;
}
