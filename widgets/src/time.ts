/** Where in the log one looks: at the latest, or at a place that one went back to. */

import { AutoPlayer } from "./player";
import type { Trace } from "./state/trace";

export class Time {
  /** How many events are in the past. */
  position = 0;
  /** Follows what arrives. */
  live = true;
  /** Whether somebody went somewhere since that was last said. */
  asked = false;
  readonly player: AutoPlayer;

  constructor(
    private readonly trace: Trace,
    /** Asks for a new frame. */
    readonly changed: () => void,
  ) {
    this.player = new AutoPlayer(() => this.advance(), changed);
  }

  /** How many steps are over, or under way. */
  get done(): number {
    return this.trace.stepsAt(this.position);
  }

  /** Take in that more has come. */
  follow(): void {
    if (this.live) this.position = this.trace.length;
  }

  seek(position: number): void {
    this.asked = true;
    this.live = position >= this.trace.length;
    this.position = Math.max(0, Math.min(position, this.trace.length));
    this.changed();
  }

  goToStep(count: number): void {
    const last = count >= this.trace.steps.length;
    this.seek(last ? Infinity : this.trace.positionAfter(Math.max(0, count)));
  }

  step(by: number): void {
    this.goToStep(this.done + by);
  }

  /** Play from here, at the end from the beginning; or pause. */
  play(): void {
    const atEnd = this.done >= this.trace.steps.length;
    if (!this.player.playing && atEnd) this.goToStep(0);
    this.player.play();
  }

  private advance(): boolean {
    this.step(1);
    return this.done < this.trace.steps.length;
  }
}
