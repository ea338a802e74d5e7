/** The names that nobody but our own classes reads: in the bundle they may be shorter. */

import { readdirSync, readFileSync } from "node:fs";

const PRIVATE = /\bprivate (?:readonly |get )?(\w+)/g;
/** What may be a name outside: of a data attribute, in a message, of a class. */
const OUTSIDE = /dataset\.\w+|dataset, \{[^}]*\}|"[^"\n]*"|`[^`]*`/g;

function textsIn(folder, ending) {
  const names = readdirSync(folder, { recursive: true });
  const wanted = names.filter((name) => name.endsWith(ending));
  return wanted.map((name) => readFileSync(`${folder}/${name}`, "utf8"));
}

/**
 * Private members, but for those whose name the browser has too, the log, or what is
 * written into the page: one name is short everywhere or nowhere.
 */
export function ownNames(widgets) {
  const browser = textsIn(`${widgets}node_modules/@typescript`, ".d.ts");
  const sources = textsIn(`${widgets}src`, ".ts");
  const events = readFileSync(`${widgets}src/events.ts`, "utf8");
  const outside = sources.flatMap((text) => text.match(OUTSIDE) ?? []);
  const taken = [...browser, ...outside, events, ...textsIn(`${widgets}src`, ".css")];
  const words = new Set(taken.flatMap((text) => text.match(/\w+/g) ?? []));
  // Without the browser's types nothing is known to be our own.
  if (!words.has("HTMLElement") || browser.length === 0) return [];
  const members = sources.flatMap((text) => [...text.matchAll(PRIVATE)]);
  return [...new Set(members.map(([, name]) => name))].filter((name) => !words.has(name));
}
