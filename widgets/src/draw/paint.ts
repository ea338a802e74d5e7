/** Put a scene on a canvas. */

import { TONES, type Tone } from "../state/tones";
import { BOX } from "../layout/geometry";
import { shorten } from "../text";
import {
  type Backdrop,
  type Box,
  type Camera,
  type Chip,
  type Curve,
  type Label,
  type Mark,
  type Shape,
  type Size,
} from "./scene";
import type { Stats } from "../events";
import { drawCurves, FAINT } from "./curves";
import { heatPixels, pixelsOn } from "./stats";
import { cutsOf, type Palette } from "./theme";

const TITLE = 12;
const FAR_TITLE = 16;
const DETAIL = 11;
const BADGE = 9;
const STRIPE = 5;
/** The room between a stripe's pieces. */
const CUT = 6;
/** No letter is smaller on the screen, in pixels. */
const LEAST = 11;
const HEAT = 30;
const MOST_DASHED = 20_000;

/** A monospaced character is about this wide, as a share of its size. */
const ADVANCE = 0.605;

type Context = CanvasRenderingContext2D;

/** A text that waits until all shapes are drawn: changing fonts is what costs. */
interface Text {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly room: number;
  readonly colour: string;
  readonly alpha: number;
}

/** Letters whose width is known; others are squeezed into their room, slowly. */
const PLAIN = /^[\x20-\x7e‖…]*$/;

/** The sizes of letters, in world units: on the screen none is too small to be read. */
interface Sizes {
  readonly title: number;
  /** Of a title that stands alone. */
  readonly far: number;
  readonly detail: number;
  /** Half of a badge. */
  readonly badge: number;
}

function sizesAt(scale: number): Sizes {
  const atLeast = (usual: number): number => Math.max(usual, LEAST / scale);
  return {
    title: atLeast(TITLE),
    far: atLeast(FAR_TITLE),
    detail: atLeast(DETAIL),
    badge: Math.min(BOX.height / 2 - 2, Math.max(BADGE, 7.5 / scale)),
  };
}

/** Texts by font and alignment. */
class Texts {
  private readonly groups = new Map<string, Text[]>();

  constructor(readonly sizes: Sizes) {}

  add(font: string, align: CanvasTextAlign, text: Text): void {
    const group = `${align} ${font}`;
    const texts = this.groups.get(group);
    if (texts === undefined) this.groups.set(group, [text]);
    else texts.push(text);
  }

  draw(context: Context): void {
    for (const [group, texts] of this.groups) {
      const space = group.indexOf(" ");
      context.textAlign = group.slice(0, space) as CanvasTextAlign;
      context.font = group.slice(space + 1);
      for (const { text, x, y, room, colour, alpha } of texts) {
        context.globalAlpha = alpha;
        context.fillStyle = colour;
        if (PLAIN.test(text)) context.fillText(text, x, y);
        else context.fillText(text, x, y, room);
      }
    }
  }
}

export function paint(
  context: Context,
  shapes: readonly Shape[],
  camera: Camera,
  size: Size,
  ratio: number,
  palette: Palette,
): void {
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, size.width * ratio, size.height * ratio);
  const scale = camera.scale * ratio;
  const x = (size.width / 2) * ratio - camera.x * scale;
  const y = (size.height / 2) * ratio - camera.y * scale;
  context.setTransform(scale, 0, 0, scale, x, y);
  context.textBaseline = "middle";
  context.lineCap = "round";
  drawAxis(context, camera, size, palette);
  const texts = new Texts(sizesAt(camera.scale));
  // Backdrops are behind the edges, all else is before them.
  const front = shapes.findIndex(({ kind }) => kind !== "backdrop");
  shapes.forEach((shape, index) => {
    if (index === front) drawCurves(context, shapes.filter(isCurve), palette);
    context.globalAlpha = shape.state === "future" ? FAINT : 1;
    draw(context, shape, palette, texts);
  });
  texts.draw(context);
  context.globalAlpha = 1;
}

function isCurve(shape: Shape): shape is Curve {
  return shape.kind === "curve";
}

/** The mirror itself. */
function drawAxis(
  context: Context,
  camera: Camera,
  size: Size,
  palette: Palette,
): void {
  const half = size.height / 2 / camera.scale;
  const ends = [0, camera.y - half, 0, camera.y + half];
  drawLines(context, palette.rule, 1 / camera.scale, ends);
}

/** Straight lines: of each the two ends. */
function drawLines(
  context: Context,
  colour: string,
  width: number,
  ends: readonly number[],
): void {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  for (let i = 0; i < ends.length; i += 4) {
    context.moveTo(ends[i], ends[i + 1]);
    context.lineTo(ends[i + 2], ends[i + 3]);
  }
  context.stroke();
}

function draw(context: Context, shape: Shape, palette: Palette, texts: Texts): void {
  if (shape.kind === "curve") return;
  if (shape.kind === "box") drawBox(context, shape, palette, texts);
  else if (shape.kind === "mark") drawMark(context, shape, palette, texts);
  else if (shape.kind === "chip") drawChip(context, shape, palette, texts);
  else if (shape.kind === "backdrop") drawBackdrop(context, shape, palette);
  else drawLabel(context, shape, palette, texts);
}

function drawChip(context: Context, chip: Chip, palette: Palette, texts: Texts): void {
  const { x, y, width, text, gradient, state } = chip;
  const marked = state === "selected" || state === "linked";
  const size = texts.sizes.detail;
  const wide = (width * size) / DETAIL;
  const half = size * 0.8;
  outline(context, x - wide / 2, y - half, wide, 2 * half, half);
  context.fillStyle = palette.panel;
  context.fill();
  context.lineWidth = marked ? 2 : 1.25;
  const plain = gradient ? palette.gradient : palette.flow;
  context.strokeStyle = marked ? palette.accent : plain;
  context.stroke();
  const alpha = context.globalAlpha;
  const words = { text, x, y: y + 0.5, room: wide - 8, colour: palette.ink, alpha };
  texts.add(`${size}px ${palette.mono}`, "center", words);
}

function drawBackdrop(context: Context, backdrop: Backdrop, palette: Palette): void {
  const { x, y, width, height, what } = backdrop;
  const alpha = context.globalAlpha;
  outline(context, x + 3, y + 3, width - 6, height - 6, 10);
  context.globalAlpha = alpha * (what === "second" ? 0.1 : 0.05);
  const tints = { second: palette.tones.grad.fill, block: palette.accent, untaped: palette.ink };
  context.fillStyle = tints[what];
  context.fill();
  context.globalAlpha = alpha;
  context.strokeStyle = palette.dim;
  context.lineWidth = 1;
  // From so far away no dash is seen, and each would cost.
  context.setLineDash(height < MOST_DASHED && what !== "block" ? [2, 5] : []);
  context.stroke();
  context.setLineDash([]);
}

function drawBox(context: Context, box: Box, palette: Palette, texts: Texts): void {
  const { x, y, width, height, state, detail } = box;
  const tone = palette.tones[box.tone];
  const future = state === "future";
  const isPin = box.node.shape === "pin";
  const round = isPin || box.node.shape === "leaf" ? height / 2 : 7;
  if (detail === "dot") {
    context.fillStyle = future ? palette.dim : tone.fill;
    context.fillRect(x, y, width, height);
    return;
  }
  if (box.node.shape === "group") drawStack(context, box, palette);
  const faded = box.freed || (box.node.untaped && box.node.shape === "op");
  outline(context, x, y, width, height, round);
  context.fillStyle = groundOf(box, palette);
  context.fill();
  if (box.failed) hatch(context, box, palette, round);
  if (!isPin) drawStripe(context, box, palette, round);
  outline(context, x, y, width, height, round);
  context.strokeStyle = future ? palette.dim : borderColour(box, palette);
  context.lineWidth = state === "selected" ? 3 : state === "linked" ? 2.25 : 1.4;
  if (box.running) {
    context.strokeStyle = palette.tones.optimise.fill;
    context.lineWidth = 4;
  }
  context.setLineDash(faded && state !== "selected" ? [4, 4] : []);
  context.stroke();
  context.setLineDash([]);
  drawBadge(context, box, palette, texts);
  if (isPin) writePin(context, box, palette, texts);
  else writeBox(context, box, palette, texts);
}

/** A pin has one line: its name, and what of its shape or norm there is room for. */
function writePin(
  { globalAlpha: alpha }: Context,
  box: Box,
  palette: Palette,
  texts: Texts,
): void {
  const { x: left, y: top, width, height, caption, state } = box;
  const size = Math.min(texts.sizes.detail, height - 0.2);
  const x = left + height + 3;
  const y = top + height / 2 + 0.5;
  const most = Math.floor((width - height - 10) / (size * ADVANCE));
  const { detail, details = [detail] } = caption;
  const title = box.tone === "g" && box.node.side > 0 ? bare(caption.title) : caption.title;
  const rest = details.find((one) => title.length + one.length < most) ?? "";
  const room = (most - (rest === "" ? 0 : rest.length + 1)) * size * ADVANCE;
  const text = shorten(title, Math.floor(room / (size * ADVANCE) + 0.01));
  const font = `${size}px ${palette.mono}`;
  const colour = state === "future" ? palette.dim : palette.ink;
  texts.add(font, "left", { text, x, y, room, colour, alpha });
  if (rest === "") return;
  const after = x + (text.length + 1) * size * ADVANCE;
  texts.add(font, "left", { text: rest, x: after, y, room, colour: palette.dim, alpha });
}

/** The edges of more boxes behind the first: there is something to open. */
function drawStack(context: Context, box: Box, palette: Palette): void {
  const { x, y, width, height } = box;
  context.lineWidth = 1.4;
  context.fillStyle = palette.panel;
  context.strokeStyle = palette.tones[box.tone].fill;
  for (const far of [8, 4]) {
    outline(context, x + far, y + far, width - 2 * far, height, 7);
    context.fill();
    context.stroke();
  }
}

function borderColour(box: Box, palette: Palette): string {
  if (box.state === "selected" || box.state === "linked") return palette.accent;
  if (box.bad || box.failed) return palette.bad;
  return box.freed ? palette.dim : palette.tones[box.tone].fill;
}

function outline(
  context: Context,
  x: number,
  y: number,
  width: number,
  height: number,
  radius: number,
): void {
  context.beginPath();
  context.roundRect(x, y, width, height, radius);
}

/** The colour of the source line that made it, along the left edge. */
function drawStripe(
  context: Context,
  box: Box,
  palette: Palette,
  radius: number,
): void {
  if (box.hue < 0 || box.state === "future") return;
  const { x, y, height } = box;
  // What is left of a line in the box, between its corners: a clip costs far more.
  const turn = Math.acos((radius - STRIPE) / radius);
  context.beginPath();
  context.arc(x + radius, y + height - radius, radius, Math.PI - turn, Math.PI);
  context.arc(x + radius, y + radius, radius, Math.PI, Math.PI + turn);
  context.closePath();
  context.fillStyle = palette.hues[box.hue % palette.hues.length];
  context.fill();
  const cuts = cutsOf(box.hue);
  context.fillStyle = groundOf(box, palette);
  for (let cut = 1; cut <= cuts; cut++) {
    context.fillRect(x, y + (height * cut) / (cuts + 1) - CUT / 2, STRIPE, CUT);
  }
}

function groundOf({ current }: Box, palette: Palette): string {
  return current ? palette.current : palette.panel;
}

function hatch(context: Context, box: Box, palette: Palette, radius: number): void {
  const { x, y, width, height } = box;
  context.save();
  outline(context, x, y, width, height, radius);
  context.clip();
  context.strokeStyle = palette.bad;
  context.globalAlpha *= 0.2;
  context.lineWidth = 2;
  context.beginPath();
  for (let offset = -height; offset < width; offset += 9) {
    context.moveTo(x + offset, y + height);
    context.lineTo(x + offset + height, y);
  }
  context.stroke();
  context.restore();
}

/** Small pictures of values, drawn once each. */
const heats = new WeakMap<Stats, HTMLCanvasElement>();

/** What a tensor holds, at the end of its box. */
function heat(context: Context, stats: Stats, { x, y, width, height }: Box): void {
  const columns = Math.max(0, ...stats.heat.map((row) => row.length));
  if (columns === 0) return;
  let drawn = heats.get(stats);
  if (drawn === undefined) {
    const pixels = heatPixels(stats.heat, columns);
    drawn = pixelsOn(columns, stats.heat.length, pixels);
    heats.set(stats, drawn);
  }
  context.imageSmoothingEnabled = false;
  const place = [x + width - HEAT - 5, y + (height - HEAT) / 2, HEAT, HEAT] as const;
  context.drawImage(drawn, ...place);
}

function writeBox(context: Context, box: Box, palette: Palette, texts: Texts): void {
  const { globalAlpha: alpha } = context;
  const { caption, tone, state } = box;
  const x = box.x + 2 * texts.sizes.badge + 14;
  const middle = box.y + box.height / 2;
  let room = box.x + box.width - x - 4;
  const two = box.detail === "full" && caption.detail !== "";
  const faint = state === "future" || box.freed;
  const colour = tone === "failed" ? palette.bad : faint ? palette.dim : palette.ink;
  const y = two ? middle - texts.sizes.detail * 0.53 : middle + 0.5;
  // From further away there is room for one line, in letters that can still be read.
  const { title: near, detail } = texts.sizes;
  const size = box.detail === "full" ? near : texts.sizes.far;
  const words = two ? caption.title : (box.detail === "title" && caption.far) || caption.title;
  const free = room - words.length * size * ADVANCE;
  if (two && caption.heat !== undefined && state !== "future" && free > HEAT + 8) {
    room -= HEAT + 6;
    heat(context, caption.heat, box);
  }
  const title = fitted(box, words, room, size);
  const half = texts.sizes.badge * 0.8;
  if (box.pinned && room - title.length * size * ADVANCE > 2 * half + 4) {
    sign(context, box.pinned, box.x + box.width - half - 6, middle, half, state === "future", palette, texts);
  }
  const titleFont = `600 ${size}px ${palette.mono}`;
  texts.add(titleFont, "left", { text: title, x, y, room, colour, alpha });
  if (!two) return;
  const most = Math.floor(room / (detail * ADVANCE));
  const whole = caption.details?.find((one) => one.length <= most) ?? caption.detail;
  const text = fitted(box, whole, room, detail);
  const low = middle + detail * 0.56;
  const rest = { text, x, y: low, room, colour: palette.dim, alpha };
  texts.add(`${detail}px ${palette.mono}`, "left", rest);
}

/** The badge says already what is a gradient: from afar, or for want of room, it alone. */
function fitted({ tone, detail }: Box, text: string, room: number, size: number): string {
  const most = Math.floor(room / (size * ADVANCE));
  const said = (tone === "g" || tone === "grad") && (detail !== "full" || text.length > most);
  return shorten(said ? bare(text) : text, most);
}

/** Without the ending that says of what the gradient is. */
function bare(text: string): string {
  return text.replace(/(_grad|@GRAD|\.grad)(?=,|$)/g, "");
}

function drawBadge(context: Context, box: Box, palette: Palette, texts: Texts): void {
  const isPin = box.node.shape === "pin";
  const half = isPin ? box.height / 2 - 1 : texts.sizes.badge;
  const [x, y] = [box.x + half + (isPin ? 1 : 8), box.y + box.height / 2];
  sign(context, box.tone, x, y, half, box.state === "future", palette, texts);
}

/** The letter of a role on its colour, round or square as the role is. */
function sign(
  context: Context,
  tone: Tone,
  x: number,
  y: number,
  half: number,
  future: boolean,
  palette: Palette,
  texts: Texts,
): void {
  const { round, letter: text } = TONES[tone];
  const { fill, letter } = palette.tones[tone];
  context.beginPath();
  if (round) context.arc(x, y, half, 0, 2 * Math.PI);
  else context.roundRect(x - half, y - half, 2 * half, 2 * half, 4);
  context.fillStyle = future ? palette.dim : fill;
  context.fill();
  const colour = future ? palette.panel : letter;
  writeSign(context, text, x, y, colour, palette, texts);
}

/** One letter or two, in the middle of a badge or a mark. */
function writeSign(
  { globalAlpha: alpha }: Context,
  text: string,
  x: number,
  y: number,
  colour: string,
  palette: Palette,
  texts: Texts,
): void {
  const font = `600 ${Math.min(texts.sizes.detail, 33)}px ${palette.sans}`;
  texts.add(font, "center", { text, x, y: y + 0.5, room: 2 * BADGE, colour, alpha });
}

function drawMark(context: Context, mark: Mark, palette: Palette, texts: Texts): void {
  const { x, y, sign, state } = mark;
  if (sign === "bad") return drawCross(context, mark, palette);
  // A bar across the way: no gradient comes back through here.
  const bar = [x - 11, y - 5, x + 11, y - 5];
  if (sign === "stop" || sign === "none")
    return drawLines(context, sign === "stop" ? palette.ink : palette.bad, 3, bar);
  if (sign === "hook") return drawTag(context, mark, "h", palette.gradient, palette, texts);
  if (sign === "set") return drawTag(context, mark, "=", palette.ink, palette, texts);
  const update = sign === "update";
  const tone = palette.tones[update ? "optimise" : "g"];
  const fill = state === "future" ? palette.dim : tone.fill;
  const letter = state === "future" ? palette.panel : tone.letter;
  const marked = state === "selected" || state === "linked";
  context.beginPath();
  if (update) hexagon(context, x, y, 11);
  else context.arc(x, y, 9, 0, 2 * Math.PI);
  context.fillStyle = sign === "sum" ? palette.panel : fill;
  context.fill();
  context.lineWidth = marked ? 3 : 2;
  context.strokeStyle = marked ? palette.accent : sign === "sum" ? fill : palette.panel;
  context.stroke();
  if (sign === "sum") {
    const ends = [x - 4.5, y, x + 4.5, y, x, y - 4.5, x, y + 4.5];
    return drawLines(context, palette.ink, 1.75, ends);
  }
  const text = update ? TONES.optimise.letter : "1";
  writeSign(context, text, x, y, letter, palette, texts);
}

function hexagon(context: Context, x: number, y: number, radius: number): void {
  for (let corner = 0; corner < 6; corner++) {
    const angle = (corner * Math.PI) / 3;
    context.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
  }
  context.closePath();
}

/** A letter in a small square: what somebody does to a gradient, or to a value. */
function drawTag(context: Context, { x, y, state }: Mark, letter: string, colour: string, palette: Palette, texts: Texts): void {
  outline(context, x - 8, y - 8, 16, 16, 4);
  context.fillStyle = palette.panel;
  context.fill();
  context.lineWidth = state === "selected" ? 3 : 1.75;
  context.strokeStyle = state === "selected" ? palette.accent : colour;
  context.stroke();
  writeSign(context, letter, x, y, palette.ink, palette, texts);
}

/** NaN or Inf: seen without a click. */
function drawCross(context: Context, { x, y, size }: Mark, palette: Palette): void {
  const [left, right, top, low] = [x - 7 * size, x + 7 * size, y - 7 * size, y + 7 * size];
  const ends = [left, top, right, low, right, top, left, low];
  drawLines(context, palette.panel, 7 * size, ends);
  drawLines(context, palette.bad, 3.5 * size, ends);
}

function drawLabel(
  context: Context,
  label: Label,
  palette: Palette,
  texts: Texts,
): void {
  const { text, x, y } = label;
  const size = texts.sizes.detail;
  const room = text.length * size * ADVANCE + 8;
  const left = x === 0 ? -room / 2 : x;
  const half = size * 0.8;
  outline(context, left, y - half, room, 2 * half, half);
  context.fillStyle = palette.panel;
  context.fill();
  const font = `${size}px ${palette.mono}`;
  const words = { text, x: left + 4, y: y + 0.5, room, colour: palette.dim };
  texts.add(font, "left", { ...words, alpha: context.globalAlpha });
}
