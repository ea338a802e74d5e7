/** A log comes from outside: it is checked field by field before anything is drawn. */

import { FIELDS, VERSION, type Log } from "./events";
import { shorten } from "./text";

type Check = (value: unknown) => boolean;
type Mapping = Record<string, unknown>;

/** What a structure's fields must hold, and which of them must be there. */
interface Table {
  readonly checks: ReadonlyMap<string, Check>;
  readonly needed: readonly string[];
}

const checks = new Map<string, Check>();
const tables = new Map<string, Table>();

/** What is wrong with event number `seq`, by its field; nothing if it is right. */
export function faultOf(value: unknown, seq: number): string | undefined {
  const where = `events[${seq}]`;
  if (!isRecord(value)) return wrong(where);
  const { kind } = value;
  const known = typeof kind === "string" && isEvent(kind) && Object.hasOwn(FIELDS, kind);
  const field = known ? faultIn(value, kind) : "kind";
  if (field !== undefined) return wrong(field, `${where}.`);
  return value.seq === seq ? undefined : wrong("seq", `${where}.`);
}

/** Return `value`, which is a log in every field; throw what is wrong with it. */
export function readLog(value: unknown): Log {
  const { version, title, events, ...more } = isRecord(value) ? value : {};
  if (version !== VERSION) {
    const told = shorten(JSON.stringify(version) ?? "missing", 40);
    throw new Error(`The log's version is ${told}; this page reads ${VERSION}.`);
  }
  if (!Array.isArray(events)) throw new Error(wrong("events"));
  const field = typeof title === "string" ? Object.keys(more)[0] : "title";
  if (field !== undefined) throw new Error(wrong(field));
  for (const [seq, event] of events.entries()) {
    const fault = faultOf(event, seq);
    if (fault !== undefined) throw new Error(fault);
  }
  return { version, title: title as string, events };
}

function wrong(field: string, where = ""): string {
  return `${where}${shorten(field, 40)} is not what a log has there.`;
}

function isRecord(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first field of a structure that is wrong, missing or unknown. */
function faultIn(value: Mapping, struct: string): string | undefined {
  const { checks: own, needed } = tableOf(struct);
  for (const name of Object.keys(value)) {
    if (!own.get(name)?.(value[name])) return name;
  }
  return needed.find((name) => !Object.hasOwn(value, name));
}

/** Events stand under their kinds, in small letters; parts of events do not. */
function isEvent(struct: string): boolean {
  return struct >= "a";
}

function tableOf(struct: string): Table {
  let found = tables.get(struct);
  if (found === undefined) {
    const own = isEvent(struct) ? `${FIELDS.Event} ${FIELDS[struct]}` : FIELDS[struct];
    const fields = own.trim().split(" ").map((field) => field.split(":"));
    found = {
      checks: new Map(fields.map(([label, code]) => [label.replace("?", ""), check(code)])),
      needed: fields.flatMap(([label]) => (label.endsWith("?") ? [] : label)),
    };
    tables.set(struct, found);
  }
  return found;
}

function check(code: string): Check {
  let found = checks.get(code);
  if (found === undefined) {
    found = compile(code);
    checks.set(code, found);
  }
  return found;
}

/** Turn a code of the table, such as `str[]{}`, into its check. */
function compile(code: string): Check {
  if (code.startsWith("=")) {
    const words = code.slice(1).split("|");
    return (value) => typeof value === "string" && words.includes(value);
  }
  if (code.endsWith("?")) {
    const inner = check(code.slice(0, -1));
    return (value) => value === null || inner(value);
  }
  if (code.endsWith("[]")) {
    const inner = check(code.slice(0, -2));
    return (value) => Array.isArray(value) && value.every(inner);
  }
  if (code.endsWith("{}")) {
    const inner = check(code.slice(0, -2));
    return (value) => isRecord(value) && Object.values(value).every(inner);
  }
  if (code === "int") return Number.isSafeInteger;
  if (code === "count") return (value) => Number.isSafeInteger(value) && Number(value) >= 0;
  if (code === "float") return Number.isFinite;
  if (code === "str") return (value) => typeof value === "string";
  if (code === "bool") return (value) => typeof value === "boolean";
  return (value) => isRecord(value) && faultIn(value, code) === undefined;
}
