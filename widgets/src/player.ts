/** Goes through the steps by itself, at a human pace. */

const SECOND_PER_STEP = 0.8;
const PACES = [0.5, 1, 2, 4, 10];

export class AutoPlayer {
  pace = 1;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `advance` makes one step and says whether there is another. */
  constructor(
    private readonly advance: () => boolean,
    private readonly changed: () => void,
  ) {}

  get playing(): boolean {
    return this.timer !== undefined;
  }

  play(): void {
    if (this.playing) this.stop();
    else this.tick(0);
    this.changed();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  faster(): void {
    this.pace = PACES[(PACES.indexOf(this.pace) + 1) % PACES.length];
    this.changed();
  }

  private tick(delay: number): void {
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.advance()) this.tick((SECOND_PER_STEP * 1000) / this.pace);
      else this.changed();
    }, delay);
  }
}
