/** Names that nobody but our own code reads: in the bundle they may be shorter. */

import { readdirSync, readFileSync } from "node:fs";

const CLASS = /^(?:export )?class [^]*?^}/gm;
/** Fields and methods, and what a constructor keeps. */
const MEMBER = /^ {2}(?:(?:private|readonly|get) )*(\w+)(?=[!?]?:| =|\(|<)|\bprivate (?:readonly )?(\w+)/gm;
/** The log, what the host calls, and messages: others read these as they are written. */
const SHARED = /(events|widget|page|connection|log)\.ts$/;
const FIELDS = /^(?:export )?(?:interface|type) [^]*?^}/gm;
/** What may be the name of an attribute, or of a class of the stylesheet. */
const WRITTEN = /dataset\.\w+|dataset, \{[^}]*\}|"[^"\n]*"|`[^`]*`/g;

function textsIn(folder, ending) {
  const names = readdirSync(folder, { recursive: true });
  const wanted = names.filter((name) => ending.test(name));
  return wanted.map((name) => readFileSync(`${folder}/${name}`, "utf8"));
}

function matches(texts, pattern) {
  return texts.flatMap((text) => text.match(pattern) ?? []);
}

/** Members of our classes, but for those whose name somebody else has too. */
export function ownNames(widgets) {
  const src = `${widgets}src`;
  const sources = textsIn(src, /\.ts$/);
  const browser = textsIn(`${widgets}node_modules/@typescript`, /\.d\.ts$/);
  const shared = matches(textsIn(src, SHARED), FIELDS);
  const taken = [...browser, ...shared, ...matches(sources, WRITTEN), ...textsIn(src, /\.css$/)];
  const words = new Set(matches(taken, /\w+/g));
  // Without the browser's types nothing is known to be our own.
  if (browser.length === 0) return [];
  const members = matches(sources, CLASS).flatMap((text) => [...text.matchAll(MEMBER)]);
  const names = new Set(members.map(([, member, kept]) => member ?? kept));
  return [...names].filter((name) => !words.has(name));
}
