/** Elements, made without markup: what a log says is only ever text. */

type Child = Node | string;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  element.className = className;
  element.append(...children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number> = {},
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, String(value));
  }
  return element;
}

export function button(
  className: string,
  label: string,
  text: string,
  act: () => void,
): HTMLButtonElement {
  const element = el("button", className, text);
  element.type = "button";
  element.title = label;
  element.setAttribute("aria-label", label);
  element.addEventListener("click", act);
  return element;
}

/** Write text only where it differs, so that an unchanged frame costs no layout. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

let ids = 0;

/** An id that no other element of the page has. */
export function freshId(stem: string): string {
  ids += 1;
  return `tg-${stem}-${ids}`;
}

/** Scroll a pane, and nothing around it, until `top` ... `bottom` shows. */
export function reveal(pane: HTMLElement, top: number, bottom: number): void {
  const { scrollTop, clientHeight } = pane;
  const wanted = scrolledTo(scrollTop, clientHeight, top, bottom);
  if (wanted !== scrollTop) pane.scrollTop = wanted;
}

/** How far a pane of this height is to be scrolled to show what is in this range. */
export function scrolledTo(
  scrolled: number,
  height: number,
  top: number,
  bottom: number,
): number {
  const margin = Math.min(48, height / 4);
  if (top < scrolled) return Math.max(0, top - margin);
  return Math.max(scrolled, bottom > scrolled + height ? bottom + margin - height : 0);
}
