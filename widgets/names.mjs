/** Names that nobody but our own code reads: in the bundle they may be shorter. */

import { readdirSync, readFileSync } from "node:fs";

const CLASS = /^(?:export )?class [^]*?^}/gm;
const FIELDS = /^(?:export )?(?:interface|type) [^]*?^}/gm;
/** Fields and methods, and what a constructor keeps. */
const MEMBER = /^ {2}(?:(?:private|readonly|get) )*(\w+)(?=[!?]?:| =|\(|<)|\bprivate (?:readonly )?(\w+)/gm;
/** The log, what the host calls, and messages: others read these as they are written. */
const SHARED = /(events|widget|page|connection|log)\.ts$/;
/** Whatever the browser's types call a member. */
const BROWSERS = /(?<=^\s+(?:(?:readonly|get|set|static) )*|[{;,]\s*(?:readonly )?)\w+(?=\??\s*[:(<])/gm;
/** What may be the name of an attribute, or the key of a table. */
const WRITTEN = /dataset\.\w+|dataset, \{[^}]*\}|"\w+"/g;
/** What the outside hands over with a view's options. */
const OPTIONS = /^export interface ViewOptions [^]*?^}/gm;

function textsIn(folder, ending) {
  const names = readdirSync(folder, { recursive: true });
  const wanted = names.filter((name) => ending.test(name));
  return wanted.map((name) => readFileSync(`${folder}/${name}`, "utf8"));
}

function matches(texts, pattern) {
  return texts.flatMap((text) => text.match(pattern) ?? []);
}

/** Members of our classes and interfaces, but for those whose name somebody else has too. */
export function ownNames(widgets) {
  const src = `${widgets}src`;
  const sources = textsIn(src, /\.ts$/);
  const browser = textsIn(`${widgets}node_modules/@typescript`, /\.d\.ts$/);
  // Without the browser's types nothing is known to be our own.
  if (browser.length === 0) return [];
  const shared = matches(textsIn(src, SHARED), FIELDS);
  const taken = [...shared, ...matches(sources, OPTIONS), ...matches(sources, WRITTEN)];
  const words = new Set([...matches(taken, /\w+/g), ...matches(browser, BROWSERS)]);
  const structures = [...matches(sources, CLASS), ...matches(sources, FIELDS)];
  const members = structures.flatMap((text) => [...text.matchAll(MEMBER)]);
  const names = new Set(members.map(([, member, kept]) => member ?? kept));
  return [...names].filter((name) => /^[a-z]\w/.test(name) && !words.has(name));
}
