/** The picture of a graph as a file: what draws on a canvas draws elements here. */

import { el, svg } from "./dom";
import type { Size } from "./scene";

/** As much of a canvas's context as `paint` calls; each shape becomes an element. */
class SvgContext {
  fillStyle = "";
  strokeStyle = "";
  globalAlpha = 1;
  lineWidth = 1;
  font = "";
  textAlign = "";
  readonly root: SVGSVGElement;
  private path = "";
  private dashes = "";
  private readonly layer = svg("g", { "stroke-linecap": "round" });

  constructor({ width, height }: Size, background: string) {
    this.root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
    this.root.append(svg("rect", { width, height, fill: background }), this.layer);
  }

  setTransform(...matrix: number[]): void {
    this.layer.setAttribute("transform", `matrix(${matrix.join(" ")})`);
  }

  setLineDash(dashes: number[]): void {
    this.dashes = dashes.join(" ");
  }

  beginPath(): void {
    this.path = "";
  }

  private add(letter: string, numbers: number[]): void {
    this.path += letter + numbers.map((one) => Number(one.toFixed(2))).join(" ");
  }

  moveTo(...to: number[]): void {
    this.add("M", to);
  }

  lineTo(...to: number[]): void {
    this.add(this.path === "" ? "M" : "L", to);
  }

  bezierCurveTo(...to: number[]): void {
    this.add("C", to);
  }

  closePath(): void {
    this.path += "Z";
  }

  arc(x: number, y: number, radius: number, from: number, to: number): void {
    // A circle is no arc of SVG's: its ends are one point. Two halves are.
    const half = (from + to) / 2;
    const at = (angle: number) => [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
    this.lineTo(...at(from));
    for (const end of [half, to]) this.add("A", [radius, radius, 0, 0, 1, ...at(end)]);
  }

  roundRect(x: number, y: number, width: number, height: number, radius: number): void {
    const r = Math.min(radius, width / 2, height / 2);
    const turn = Math.PI / 2;
    this.moveTo(x, y + r);
    this.arc(x + r, y + r, r, -2 * turn, -turn);
    this.arc(x + width - r, y + r, r, -turn, 0);
    this.arc(x + width - r, y + height - r, r, 0, turn);
    this.arc(x + r, y + height - r, r, turn, 2 * turn);
    this.closePath();
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    const [fill, opacity] = [this.fillStyle, this.globalAlpha];
    this.layer.append(svg("rect", { x, y, width, height, fill, opacity }));
  }

  fill(): void {
    const [fill, opacity] = [this.fillStyle, this.globalAlpha];
    this.layer.append(svg("path", { d: this.path, fill, opacity }));
  }

  stroke(): void {
    const look = { stroke: this.strokeStyle, opacity: this.globalAlpha, fill: "none" };
    const width = { "stroke-width": this.lineWidth, "stroke-dasharray": this.dashes };
    this.layer.append(svg("path", { d: this.path, ...look, ...width }));
  }

  fillText(text: string, x: number, y: number, room?: number): void {
    const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign] ?? "start";
    const look = { fill: this.fillStyle, opacity: this.globalAlpha, style: `font:${this.font}` };
    const place = { x, y, "text-anchor": anchor, "dominant-baseline": "central" };
    const element = svg("text", { ...look, ...place });
    if (room !== undefined && text.length * 7 > room) element.setAttribute("textLength", `${room}`);
    element.textContent = text;
    this.layer.append(element);
  }

  drawImage(image: HTMLCanvasElement, ...[x, y, width, height]: number[]): void {
    const href = image.toDataURL();
    this.layer.append(svg("image", { x, y, width, height, href }));
  }

  save(): void {}
  restore(): void {}
  clip(): void {}
  clearRect(): void {}
}

type Draw = (context: CanvasRenderingContext2D, ratio: number) => void;

/** The graph as the text of an SVG file. */
export function svgText(size: Size, background: string, draw: Draw): string {
  const context = new SvgContext(size, background);
  draw(context as unknown as CanvasRenderingContext2D, 1);
  return new XMLSerializer().serializeToString(context.root);
}

/** Save the graph as a file, by what its name ends on. */
export function save(name: string, size: Size, background: string, draw: Draw): void {
  const give = (blob: Blob | null): void => {
    if (blob === null) return;
    const link = el("a", "");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  if (name.endsWith("svg")) {
    return give(new Blob([svgText(size, background, draw)], { type: "image/svg+xml" }));
  }
  const canvas = el("canvas", "");
  [canvas.width, canvas.height] = [2 * size.width, 2 * size.height];
  const context = canvas.getContext("2d");
  if (context === null) return;
  draw(context, 2);
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.globalCompositeOperation = "destination-over";
  context.fillStyle = background;
  context.fillRect(0, 0, canvas.width, canvas.height);
  canvas.toBlob(give);
}
