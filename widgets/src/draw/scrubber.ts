/** Time: a tick a line, dragged, stepped or played. */

import { ownKey } from "../keys";
import type { Trace } from "../state/trace";
import { thousands } from "../text";
import type { Time } from "../time";
import { button, el, setText } from "./dom";
import { icon, type IconName } from "./icon";
import type { Frame, Pane } from "./look";
import { HUES, type Palette } from "./theme";

export class ScrubberPane implements Pane {
  readonly element: HTMLElement;
  private readonly track = el("div", "tg-track");
  private readonly canvas = el("canvas", "tg-ticks");
  private readonly thumb = el("div", "tg-thumb");
  private readonly words = el("div", "tg-when");
  private readonly playButton: HTMLButtonElement;
  private readonly paceButton: HTMLButtonElement;
  private readonly observer: ResizeObserver;
  private readonly flag = el("div", "tg-flag");
  /** The position that is marked: where this trace first differs from another. */
  mark = -1;
  private frame: Frame | undefined;
  private drawn = "";
  /** The track's size, kept, for asking costs a layout of the page. */
  private size = { width: 0, height: 0 };

  constructor(
    private readonly time: Time,
    private readonly palette: () => Palette,
  ) {
    this.playButton = tool("tg-play", "Play (Space)", "play", () => time.play());
    this.paceButton = button("tg-tool tg-pace", "Pace", "1×", () =>
      time.player.faster(),
    );
    this.canvas.setAttribute("aria-hidden", "true");
    this.track.append(this.canvas, this.flag, this.thumb);
    this.track.tabIndex = 0;
    this.track.setAttribute("role", "slider");
    this.track.setAttribute("aria-label", "Step");
    for (const name of ["valuemin", "valuenow", "valuemax"]) {
      this.track.setAttribute(`aria-${name}`, "0"); // until there is a frame
    }
    this.showPace(1);
    this.drag();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.track);
    const step = (by: number) => () => time.step(by);
    this.element = el(
      "div",
      "tg-scrubber",
      tool("tg-first", "First step (Home)", "first", () => time.goToStep(0)),
      tool("tg-back", "One line back (Left arrow)", "back", step(-1)),
      this.playButton,
      tool("tg-on", "One line on (Right arrow)", "on", step(1)),
      tool("tg-last", "Latest step (End)", "last", () => time.seek(Infinity)),
      this.track,
      this.words,
      this.paceButton,
    );
  }

  dispose(): void {
    this.observer.disconnect();
  }

  update(frame: Frame): void {
    this.frame = frame;
    const { trace, position, live } = frame;
    const done = trace.stepsAt(position);
    const count = trace.steps.length;
    this.element.hidden ||= count === 0 && trace.ended;
    this.track.setAttribute("aria-valuemax", String(count));
    this.track.setAttribute("aria-valuenow", String(done));
    this.track.setAttribute("aria-valuetext", sayStep(frame));
    Object.assign(this.track.dataset, {
      step: String(done),
      steps: String(count),
      position: String(position),
      live: String(live),
    });
    const inside = position !== trace.positionAfter(done);
    const words = inside
      ? `line run ${number(done)} · event ${number(position)}`
      : `${number(done)} of ${number(count)} lines run`;
    setText(this.words, words);
    const { playing, pace } = this.time.player;
    if (this.playButton.dataset.icon !== (playing ? "pause" : "play")) {
      this.playButton.dataset.icon = playing ? "pause" : "play";
      this.playButton.replaceChildren(icon(playing ? "pause" : "play"));
    }
    const label = playing ? "Pause (Space)" : "Play (Space)";
    this.playButton.title = label;
    this.playButton.setAttribute("aria-label", label);
    this.showPace(pace);
    this.thumb.style.left = `${this.x(shareOf(trace, position))}px`;
    this.flag.hidden = this.mark < 0;
    this.flag.style.left = `${this.x(shareOf(trace, this.mark))}px`;
    this.drawTicks(frame);
  }

  private showPace(pace: number): void {
    setText(this.paceButton, `${pace}×`);
    this.paceButton.setAttribute("aria-label", `Pace, ${pace} times`);
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.track;
    this.size = { width, height };
    this.time.changed();
  }

  /** Ticks stand where their line began, in the line's colour, lower once past. */
  private drawTicks({ trace, position }: Frame): void {
    const { width, height } = this.size;
    const palette = this.palette();
    const drawn = `${trace.length} ${position} ${width} ${palette.ink}`;
    if (drawn === this.drawn || width === 0) return;
    this.drawn = drawn;
    const ratio = globalThis.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const context = this.canvas.getContext("2d");
    if (context === null) return;
    context.scale(ratio, ratio);
    const middle = height / 2;
    context.fillStyle = palette.rule;
    context.fillRect(0, middle - 1.5, width, 3);
    context.fillStyle = palette.accent;
    context.fillRect(0, middle - 1.5, this.x(shareOf(trace, position)), 3);
    const room = (this.x(1) - this.x(0)) / Math.max(1, trace.steps.length);
    const thick = Math.min(3, Math.max(1, room / 2));
    let last = -2;
    for (const [index, { seq, cell, line }] of trace.steps.entries()) {
      const x = this.x(index / trace.steps.length);
      if (x - last < 2) continue;
      last = x;
      const rank = trace.rank(cell, line);
      context.globalAlpha = seq < position ? 1 : 0.4;
      context.fillStyle = palette.hues[Math.max(0, rank) % HUES];
      context.fillRect(x - thick / 2, middle - 8, thick, 16);
    }
  }

  private x(share: number): number {
    const margin = 8;
    return margin + share * (this.size.width - 2 * margin);
  }

  private drag(): void {
    const { track } = this;
    const seek = (event: PointerEvent): void => {
      if (this.frame === undefined) return;
      const { left } = track.getBoundingClientRect();
      const room = this.x(1) - this.x(0);
      const share = (event.clientX - left - this.x(0)) / Math.max(1, room);
      this.time.goToStep(Math.round(share * this.frame.trace.steps.length));
    };
    track.addEventListener("pointerdown", (event) => {
      track.setPointerCapture(event.pointerId);
      seek(event);
    });
    track.addEventListener("pointermove", (event) => {
      if (track.hasPointerCapture(event.pointerId)) seek(event);
    });
    track.addEventListener("keydown", (event) => {
      const way = ownKey(event, { PageUp: 1, PageDown: -1 });
      const tenth = (this.frame?.trace.steps.length ?? 0) / 10;
      if (way !== undefined) this.time.step(way * Math.ceil(tenth));
    });
  }
}

function number(count: number): string {
  return thousands(count);
}

function tool(
  name: string,
  label: string,
  sign: IconName,
  act: () => void,
): HTMLButtonElement {
  const element = button(`tg-tool ${name}`, label, "", act);
  element.append(icon(sign));
  return element;
}

/** How far along the track a position is: every step has the same room. */
export function shareOf(trace: Trace, position: number): number {
  const done = trace.stepsAt(position);
  if (done === 0) return 0;
  const start = trace.steps[done - 1].seq;
  const end = trace.positionAfter(done);
  const within = (position - start) / Math.max(1, end - start);
  return (done - 1 + within) / trace.steps.length;
}

export function sayStep({ trace, position, step }: Frame): string {
  const done = trace.stepsAt(position);
  if (step === undefined) return "before the first line";
  return `${done} of ${trace.steps.length} lines run, line ${step.line}`;
}
