/** All about the thing that is pointed at or selected, as it was at the position. */

import { describe, type Entity, type Link } from "../state/entity";
import { TONES } from "../state/tones";
import type { Lesson } from "../state/lesson";
import type { Trace } from "../state/trace";
import { thousands } from "../text";
import { badge } from "./badge";
import { button, el, freshId } from "./dom";
import type { Actions, Frame, Pane } from "./look";
import { codeLine } from "./python";
import { statsView } from "./stats";
import { lineClass } from "./theme";

const MOST_LINKS = 8;

export class InspectorPane implements Pane {
  readonly element: HTMLElement;
  private readonly body = el("div", "tg-scroll tg-inspectorbody");
  private shown: Trace | undefined;
  private signature = "";

  constructor(private readonly actions: Actions) {
    const heading = el("h3", "tg-heading", "Inspector");
    heading.id = freshId("inspector");
    this.body.tabIndex = 0;
    this.body.setAttribute("role", "group");
    this.body.setAttribute("aria-labelledby", heading.id);
    this.element = el("section", "tg-pane tg-inspector", heading, this.body);
  }

  focus(): void {
    this.body.focus({ preventScroll: true });
  }

  update(frame: Frame): void {
    const { trace, hovered, selected, position } = frame;
    const key = hovered ?? selected;
    const signature = `${key} ${position} ${trace.length}`;
    if (signature === this.signature && this.shown === trace) return;
    this.signature = signature;
    this.shown = trace;
    const entity = key === undefined ? undefined : describe(trace, key, position);
    this.element.dataset.key = entity?.key ?? "";
    const parts = entity === undefined ? hint() : this.card(entity, frame);
    this.body.replaceChildren(...parts);
  }

  private card(entity: Entity, frame: Frame): HTMLElement[] {
    const parts = [head(entity), this.origin(entity, frame)];
    if (entity.message !== undefined) {
      parts.push(el("p", "tg-message tg-failure", entity.message));
    }
    if (entity.lesson !== undefined) parts.push(...formula(entity.lesson));
    if (entity.facts.length > 0) parts.push(facts(entity.facts));
    if (entity.lesson !== undefined) parts.push(...rule(entity.lesson));
    const { value, gradient, values = [], gradients = [] } = entity;
    const pair = el("div", "tg-pair");
    if (value !== undefined) pair.append(statsView("Value", value, values));
    if (gradient !== undefined) pair.append(statsView("Gradient", gradient, gradients));
    if (pair.children.length > 0) parts.push(pair);
    const isVariable = TONES[entity.tone].round;
    const links = [
      this.links(isVariable ? "made by" : "reads", entity.producers),
      this.links(isVariable ? "read by" : "makes", entity.consumers),
      this.links(twinWord(entity), entity.twin === undefined ? [] : [entity.twin]),
    ];
    parts.push(...links.filter((list) => list !== undefined));
    return parts;
  }

  private origin(entity: Entity, { trace, position }: Frame): HTMLElement {
    const { cell, line, seq } = entity;
    const future = seq >= position ? "not there yet · " : "";
    if (line <= 0) return el("p", "tg-origin", `${future}event ${seq}`);
    const several = trace.cells.length > 1;
    const title = trace.cells.find((known) => known.cell === cell)?.title ?? "";
    const where = several && title !== "" ? ` of ${title}` : "";
    const text = `${future}made on line ${line}${where}`;
    return el("p", `tg-origin ${lineClass(trace.rank(cell, line))}`, text);
  }

  private links(title: string, links: readonly Link[]): HTMLElement | undefined {
    if (links.length === 0) return undefined;
    const row = el("div", "tg-links");
    for (const link of links.slice(0, MOST_LINKS)) {
      const act = (): void => this.actions.select(link.key);
      const item = button("tg-link", `Go to ${link.label}`, "", act);
      item.append(badge(link.tone), el("span", "tg-code", link.label));
      item.removeAttribute("aria-label");
      item.dataset.key = link.key;
      row.append(item);
    }
    const rest = links.length - MOST_LINKS;
    if (rest > 0) row.append(el("span", "tg-more", `and ${thousands(rest)} more`));
    return el("div", "tg-linkgroup", el("h4", "tg-subheading", title), row);
  }
}

function hint(): HTMLElement[] {
  const text =
    "Point at a row, a node or an edge to see its shape, value and gradient. ";
  const keys = "Arrow keys step through the lines; ? says what the signs mean.";
  return [el("p", "tg-empty", text), el("p", "tg-empty", keys)];
}

function head(entity: Entity): HTMLElement {
  const name = el("div", "tg-code tg-entityname", entity.name);
  const words = el("div", "", name, el("div", "tg-role", entity.role));
  return el("div", "tg-entity", badge(entity.tone), words);
}

function facts(list: Entity["facts"]): HTMLElement {
  const view = el("dl", "tg-facts");
  for (const [name, value] of list) {
    view.append(el("div", "", el("dt", "", name), el("dd", "tg-code", value)));
  }
  return view;
}

function formula({ summary, isFormula, words }: Lesson): HTMLElement[] {
  if (summary === "") return [];
  const first = el("p", isFormula ? "tg-formula tg-code" : "tg-formula", summary);
  return words === "" ? [first] : [first, el("p", "tg-words", words)];
}

/** The source of the gradient rule, what goes in and comes out, and the arithmetic. */
function rule({ rule: source, filled, numbers }: Lesson): HTMLElement[] {
  if (source === "") return [];
  const parts = [el("h4", "tg-subheading", "gradient rule"), code(source)];
  if (numbers.length > 0) {
    parts.push(el("h4", "tg-subheading", "with its numbers"), facts(numbers));
  }
  return filled === "" ? parts : [...parts, code(filled)];
}

function code(source: string): HTMLElement {
  const lines = source.split("\n").map((line) => el("div", "", codeLine(line)));
  return el("div", "tg-code tg-rule", ...lines);
}

function twinWord(entity: Entity): string {
  const isGradient = entity.tone === "g" || entity.tone === "grad";
  return isGradient ? "gradient of" : "its gradient";
}
