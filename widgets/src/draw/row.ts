/** One row of a Program: a variable, an operator, a block or what failed. */

import type { OpEvent } from "../events";
import { names, type OpRow, type Row } from "../state/programs";
import { operatorTone, TONES, type Tone } from "../state/tones";
import { shapeText } from "../text";
import { badge } from "./badge";
import { el } from "./dom";

function rowTone(row: Row): Tone {
  if (row.kind === "var") return row.event.role;
  if (row.kind === "failed") return "failed";
  if (row.kind === "block") return "op";
  return operatorTone(row.event.type, row.event.role);
}

export function rowName(row: Row): string {
  if (row.kind === "var") return row.event.name;
  return row.kind === "block" ? row.title : row.event.type;
}

/** Build a row's element; its classes and place are the column's business. */
export function rowElement(row: Row, program: string, folded: boolean): HTMLElement {
  const element = el("div", "tg-row");
  const number = row.line > 0 ? String(row.line) : "";
  const line = el("span", "tg-rowline", el("span", "tg-sr", "line "), number);
  const sign = row.kind === "block" ? foldSign(row, folded) : badge(rowTone(row));
  const role = row.kind === "block" ? "sub-block" : TONES[rowTone(row)].word;
  const said = el("span", "tg-sr", `${role} `);
  element.append(line, ...indent(row.depth), sign, said, ...words(row));
  Object.assign(element.dataset, {
    key: row.key,
    name: rowName(row),
    kind: row.kind,
    role: rowTone(row),
    line: String(row.line),
    cell: String(row.cell),
    seq: String(row.seq),
    program,
  });
  element.setAttribute("role", "option");
  return element;
}

function indent(depth: number): HTMLElement[] {
  return Array.from({ length: depth }, () => el("span", "tg-indent"));
}

function foldSign(row: Row, folded: boolean): HTMLElement {
  const sign = el("span", "tg-fold", folded ? "▸" : "▾");
  sign.setAttribute("aria-hidden", "true");
  sign.dataset.block = String(row.block);
  return sign;
}

function words(row: Row): HTMLElement[] {
  if (row.kind === "var") {
    const { name, shape, dtype } = row.event;
    return [
      el("span", "tg-name", name),
      el("span", "tg-shape", shapeText(shape)),
      el("span", "tg-dtype tg-value", dtype),
    ];
  }
  if (row.kind === "op") return operatorWords(row);
  if (row.kind === "block") return [el("span", "tg-name", rowName(row))];
  const shapes = row.event.inputs.map((i) => `${i.name} ${shapeText(i.shape)}`);
  return [
    el("span", "tg-name", row.event.type),
    el("span", "tg-args", shapes.join(", ")),
    el("span", "tg-message", row.event.message),
  ];
}

function operatorWords({ event }: OpRow): HTMLElement[] {
  const inputs = names(event.inputs).join(", ") + constantsOf(event);
  const outputs = names(event.outputs).join(", ");
  const parts = [el("span", "tg-name", event.type)];
  if (inputs !== "") parts.push(el("span", "tg-args", inputs));
  if (outputs !== "") {
    parts.push(el("span", "tg-arrow", "→"), el("span", "tg-outputs", outputs));
  }
  return parts;
}

/** The numbers that an operator is given besides its inputs: `4`, or ` × 0.1 + 2`. */
function constantsOf({ type, attrs }: OpEvent): string {
  if (type === "fill_constant") return attrs.value ?? "";
  const { scale = "1", bias = "0" } = type === "scale" ? attrs : {};
  const factor = Number(scale) === 1 ? "" : ` × ${scale}`;
  return Number(bias) === 0 ? factor : `${factor} + ${bias}`.replace("+ -", "− ");
}
