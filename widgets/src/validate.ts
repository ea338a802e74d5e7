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
const OF_A_LOG = ["version", "title", "events"];

/** What is wrong with event number `seq`, by its field; nothing if it is right. */
export function faultOf(value: unknown, seq: number): string | undefined {
  const where = `events[${seq}]`;
  if (!isRecord(value)) return `${where} is no object`;
  const { kind } = value;
  const known = typeof kind === "string" && Object.hasOwn(FIELDS, kind);
  if (!known || !("kind" in FIELDS[kind])) return `${where}.kind is that of no event`;
  const field = faultIn(value, kind) ?? (value.seq === seq ? undefined : "seq");
  if (field === undefined) return undefined;
  return `${where}.${shorten(field, 40)} is not what a log has there`;
}

/** Return `value`, which is a log in every field; throw what is wrong with it. */
export function readLog(value: unknown): Log {
  if (!isRecord(value)) throw new Error("This is not an event log.");
  const { version, title, events } = value;
  if (version !== VERSION) {
    const told = JSON.stringify(version) ?? "missing";
    throw new Error(`The log's version is ${shorten(told, 40)}; this page reads ${VERSION}.`);
  }
  if (typeof title !== "string") throw new Error("The log has no title.");
  if (!Array.isArray(events)) throw new Error("The log has no list of events.");
  const more = Object.keys(value).find((name) => !OF_A_LOG.includes(name));
  if (more !== undefined) throw new Error(`${shorten(more, 40)} is no field of a log.`);
  for (const [seq, event] of events.entries()) {
    const fault = faultOf(event, seq);
    if (fault !== undefined) throw new Error(`${fault}.`);
  }
  return { version, title, events };
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

function tableOf(struct: string): Table {
  let found = tables.get(struct);
  if (found === undefined) {
    const own = FIELDS[struct];
    const fields = Object.entries("kind" in own ? { ...FIELDS.Event, ...own } : own);
    const name = (label: string): string => label.replace("?", "");
    found = {
      checks: new Map(fields.map(([label, code]) => [name(label), check(code)])),
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
