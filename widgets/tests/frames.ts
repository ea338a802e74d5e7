/** Let the page draw: frames come when a test says so, and are counted. */

import { vi } from "vitest";

export class Frames {
  count = 0;
  private waiting: FrameRequestCallback[] = [];

  constructor() {
    vi.stubGlobal("requestAnimationFrame", (callback: FrameRequestCallback) =>
      this.waiting.push(callback),
    );
    vi.stubGlobal("cancelAnimationFrame", () => undefined);
  }

  /** Draw until nothing more is asked for. */
  settle(): void {
    for (let round = 0; this.waiting.length > 0 && round < 100; round++) {
      const callbacks = this.waiting;
      this.waiting = [];
      this.count += 1;
      for (const callback of callbacks) callback(performance.now());
    }
  }
}
