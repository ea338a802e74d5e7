/** Find a row or a node by a part of its name. */

import { everyGroup } from "../layout/groups";
import type { Mirror } from "../state/mirror";
import type { Row } from "../state/programs";
import type { Trace } from "../state/trace";
import { countText } from "../text";
import { el, setText } from "./dom";
import type { Actions } from "./look";
import { rowName } from "./row";

export class Finder {
  readonly element: HTMLElement;
  private readonly input = el("input", "tg-find");
  private readonly found = el("span", "tg-found");
  private matches: string[] = [];
  private at = -1;

  constructor(
    private readonly actions: Actions,
    private readonly trace: () => Trace,
    private readonly leave: () => void,
  ) {
    this.input.type = "search";
    this.input.placeholder = "Find a name";
    this.input.setAttribute("aria-label", "Find a row or node by name");
    this.input.addEventListener("input", () => this.search());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.found.setAttribute("role", "status");
    this.element = el("span", "tg-finder", this.input, this.found);
  }

  open(): void {
    this.input.focus({ preventScroll: true });
    this.input.select();
  }

  private key(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === "Escape") this.leave();
    else if (event.key === "Enter") this.go(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  }

  private search(): void {
    const wanted = this.input.value.trim().toLowerCase();
    this.matches = wanted === "" ? [] : [...matching(this.trace(), wanted)];
    this.at = -1;
    this.say(wanted);
    if (this.matches.length > 0) this.go(1);
  }

  private go(by: number): void {
    const { length } = this.matches;
    if (length === 0) return;
    this.at = (this.at + by + length) % length;
    this.actions.select(this.matches[this.at]);
    this.say(this.input.value);
  }

  private say(wanted: string): void {
    const { length } = this.matches;
    const found = length === 0 ? "none" : `${this.at + 1} of ${length}`;
    setText(this.found, wanted === "" ? "" : found);
    this.found.title = countText(length, "match", "matches");
  }
}

function* matching(trace: Trace, wanted: string): Generator<string> {
  const fits = (name: string): boolean => name.toLowerCase().includes(wanted);
  for (const program of trace.programs.values()) {
    const named = (row: Row): boolean => fits(rowName(row));
    for (const row of program.rows.filter(named)) yield row.key;
    yield* groupsNamed(program.mirror, fits);
  }
  yield* groupsNamed(trace.tape.mirror, fits);
  for (const tensor of trace.tape.tensors.values()) {
    if (fits(tensor.name)) yield tensor.key;
  }
  for (const node of trace.tape.nodes.values()) {
    if (fits(node.event.type)) yield node.key;
  }
}

/** A layer or scope is found at its first operator. */
function* groupsNamed(
  mirror: Mirror,
  fits: (name: string) => boolean,
): Generator<string> {
  for (const { title, kind, first } of everyGroup(mirror.groups)) {
    if (kind === "scope" && fits(title)) yield mirror.ops[first].key;
  }
}
