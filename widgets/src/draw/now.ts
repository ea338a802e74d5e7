/** Which name means what at this moment, and what was printed so far. */

import { amountText } from "../state/lesson";
import { tensorKey } from "../state/tape";
import { badge } from "./badge";
import { button, el, freshId } from "./dom";
import type { Actions, Frame, Pane } from "./look";

export class NowPane implements Pane {
  private readonly names = el("div", "tg-names");
  private readonly output = el("div", "tg-code tg-output");
  private readonly body = el("div", "tg-scroll tg-nowbody", this.names, this.output);
  readonly element: HTMLElement;
  private signature = "";

  constructor(private readonly actions: Actions) {
    const heading = el("h3", "tg-heading", "Names now");
    heading.id = freshId("now");
    this.body.tabIndex = 0;
    this.body.setAttribute("role", "group");
    this.body.setAttribute("aria-labelledby", heading.id);
    this.element = el("section", "tg-pane tg-now", heading, this.body);
  }

  update({ trace, position }: Frame): void {
    const { bindings, tape } = trace;
    const scopes = bindings.at(position);
    const printed = bindings.outputAt(position);
    const count = scopes.reduce((sum, { names }) => sum + names.length, 0);
    this.element.hidden = count === 0 && printed === "";
    const signature = `${position} ${trace.length}`;
    if (signature === this.signature) return;
    this.signature = signature;
    const rows = scopes.flatMap(({ scope, names }) => {
      const items = names.map(([name, meaning]) => {
        const tensor = typeof meaning === "number" ? tape.tensors.get(meaning) : undefined;
        const label = el("span", "tg-code", name);
        if (tensor === undefined) {
          return el("div", "tg-name", label, el("span", "tg-code tg-means", String(meaning)));
        }
        const { key, event, value } = tensor;
        const go = (): void => this.actions.select(key);
        const item = button("tg-name tg-link", `Go to ${name}`, "", go);
        const stats = value.at(position);
        const words = stats === undefined ? `[${event.shape.join(", ")}]` : amountText(stats);
        item.append(badge(event.role), label, el("span", "tg-code tg-means", words));
        item.removeAttribute("aria-label");
        item.dataset.key = tensorKey(event.tensor);
        return item;
      });
      const title = scope === "" ? [] : [el("h4", "tg-subheading", `in ${scope}`)];
      return [...title, ...items];
    });
    this.names.replaceChildren(...rows);
    this.output.hidden = printed === "";
    if (this.output.textContent === printed) return;
    this.output.textContent = printed;
    // Names come first; who has scrolled down to what is printed sees the last of it.
    if (this.body.scrollTop > 0) this.body.scrollTop = this.body.scrollHeight;
  }
}
