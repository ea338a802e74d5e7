/** The event log as it arrives: in pieces, twice, out of order, with gaps. */

import type { AnyEvent } from "./events";
import { faultOf } from "./validate";

/** Sequence numbers that have not come, both ends included. */
export interface Gap {
  first: number;
  last: number;
}

/** Keeps events in order; those after a gap wait until it is filled. */
export class EventLog {
  readonly events: AnyEvent[] = [];
  private readonly waiting = new Map<number, AnyEvent>();

  /** The sequence number that comes next. */
  get next(): number {
    return this.events.length;
  }

  /** Take events numbered from `first`; what is known already is ignored. */
  accept(first: number, items: readonly unknown[]): void {
    for (let i = 0; i < items.length; i++) {
      const seq = first + i;
      if (seq < this.next || this.waiting.has(seq)) continue;
      const event = readable(items[i], seq);
      if (seq === this.next) this.events.push(event);
      else this.waiting.set(seq, event);
    }
    this.release();
  }

  gaps(): Gap[] {
    const gaps: Gap[] = [];
    let expected = this.next;
    for (const seq of [...this.waiting.keys()].sort((a, b) => a - b)) {
      if (seq > expected) gaps.push({ first: expected, last: seq - 1 });
      expected = seq + 1;
    }
    return gaps;
  }

  private release(): void {
    let event = this.waiting.get(this.next);
    while (event !== undefined) {
      this.waiting.delete(this.next);
      this.events.push(event);
      event = this.waiting.get(this.next);
    }
  }
}

/** Return the event, or in place of one that cannot be read, the statement of that. */
function readable(item: unknown, seq: number): AnyEvent {
  if (faultOf(item, seq) === undefined) return item as AnyEvent;
  const kind = "dropped";
  const what = "an event that could not be read";
  return {
    seq,
    t: 0,
    cell: -1,
    line: 0,
    kind,
    count: 1,
    what,
    why: "not in the schema",
  };
}
