/** A log comes from outside: it is checked field by field before anything is drawn. */

import { FIELDS, VERSION, type AnyEvent, type Fields, type Log } from "./events";

type Check = (value: unknown) => boolean;

const checks = new Map<string, Check>();

export function isEvent(value: unknown): value is AnyEvent {
  if (!isRecord(value) || typeof value.kind !== "string") return false;
  if (!Object.hasOwn(FIELDS, value.kind)) return false;
  const fields = FIELDS[value.kind];
  return "kind" in fields && hasFields(value, FIELDS.Event) && hasFields(value, fields);
}

/** Return `value` as a Log, its events still unchecked; throw what is wrong with it. */
export function readLog(value: unknown): Log {
  if (!isRecord(value)) throw new Error("This is not an event log.");
  if (value.version !== VERSION) {
    const version = JSON.stringify(value.version) ?? "missing";
    throw new Error(`The log's version is ${version}; this page reads ${VERSION}.`);
  }
  if (!Array.isArray(value.events)) throw new Error("The log has no list of events.");
  const title = typeof value.title === "string" ? value.title : "";
  return { version: VERSION, title, events: value.events };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a record has what its table of fields asks for. */
type Rule = (value: Record<string, unknown>) => boolean;

const rules = new Map<Fields, readonly Rule[]>();

function hasFields(value: Record<string, unknown>, fields: Fields): boolean {
  let found = rules.get(fields);
  if (found === undefined) {
    found = Object.entries(fields).map(([label, code]) => rule(label, code));
    rules.set(fields, found);
  }
  for (const holds of found) if (!holds(value)) return false;
  return true;
}

function rule(label: string, code: string): Rule {
  const holds = check(code);
  if (!label.endsWith("?")) return (value) => holds(value[label]);
  const name = label.slice(0, -1);
  return (value) => value[name] === undefined || holds(value[name]);
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
  if (code === "int") return Number.isInteger;
  if (code === "float") return Number.isFinite;
  if (code === "str") return (value) => typeof value === "string";
  if (code === "bool") return (value) => typeof value === "boolean";
  const fields = FIELDS[code];
  return (value) => isRecord(value) && hasFields(value, fields);
}
