/** A value that changes as the trace goes on, and can be asked for at any position. */

/**
 * What was written when. A position is a count of events: the state at `position` is
 * that after the events numbered below it. Looking back costs a binary search, so going
 * to any step needs neither a replay nor a keyframe.
 */
export class Timeline<T> {
  // Most timelines stay empty: their lists come with the first value.
  private seqs: number[] | undefined;
  private values: T[] | undefined;

  get length(): number {
    return this.seqs?.length ?? 0;
  }

  push(seq: number, value: T): void {
    (this.seqs ??= []).push(seq);
    (this.values ??= []).push(value);
  }

  /** All that was written before `position`, oldest first. */
  until(position: number): readonly T[] {
    const count = this.seqs === undefined ? 0 : countBelow(this.seqs, position);
    return (this.values ?? []).slice(0, count);
  }

  /** What was written last before `position`, if that was after `start`. */
  since(start: number, position: number): T | undefined {
    if (this.seqs === undefined) return undefined;
    const index = countBelow(this.seqs, position) - 1;
    return this.seqs[index] > start ? this.values?.[index] : undefined;
  }

  at(position: number): T | undefined {
    if (this.seqs === undefined) return undefined;
    return this.values?.[countBelow(this.seqs, position) - 1];
  }
}

/** How many of the ascending `sorted` numbers are below `limit`. */
export function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of the things, oldest first, came before event `position`. */
export function countBefore(
  things: readonly { readonly seq: number }[],
  position: number,
  from = 0,
  to = things.length,
): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (things[middle].seq < position) low = middle + 1;
    else high = middle;
  }
  return low - from;
}
