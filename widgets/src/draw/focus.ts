/** The focus stays in the view when what has it goes: else keys were the notebook's. */

export function keepingFocus(root: HTMLElement, draw: () => void): void {
  const focused = document.activeElement;
  const around = focused?.parentElement?.closest<HTMLElement>("[tabindex]");
  draw();
  if (!root.contains(around ?? null) || isThere(root, focused)) return;
  const next = around && isThere(root, around) ? around : root;
  next.focus({ preventScroll: true });
}

function isThere(root: HTMLElement, element: Element | null): boolean {
  return root.contains(element) && element?.closest("[hidden]") === null;
}
