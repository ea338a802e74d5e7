/** Which intervals touch a range: buckets by length; a look-up costs what it finds. */

interface Span<T> {
  first: number;
  last: number;
  item: T;
}

/** An append-only index of items by the rows they span. */
export class Spans<T> {
  /** The items, in the order in which they were added. */
  readonly all: T[] = [];
  /** Level k holds the spans shorter than 2^(k+1), in buckets of 2^k rows; k >= 3. */
  private readonly levels: Map<number, Span<T>[]>[] = [];

  add(first: number, last: number, item: T): void {
    this.all.push(item);
    const level = Math.max(3, Math.floor(Math.log2(last - first + 1)));
    while (this.levels.length <= level) this.levels.push(new Map());
    const bucket = Math.floor(first / 2 ** level);
    const spans = this.levels[level].get(bucket);
    if (spans === undefined) this.levels[level].set(bucket, [{ first, last, item }]);
    else spans.push({ first, last, item });
  }

  /** Return the items whose rows touch `first` ... `last`, at most `limit`. */
  touching(first: number, last: number, limit = Infinity): T[] {
    const found: T[] = [];
    for (const [level, buckets] of this.levels.entries()) {
      // A span shorter than two buckets can begin at most two buckets earlier.
      const start = Math.floor(first / 2 ** level) - 2;
      const end = Math.floor(last / 2 ** level);
      for (let bucket = start; bucket <= end; bucket++) {
        for (const span of buckets.get(bucket) ?? []) {
          if (span.first > last || span.last < first) continue;
          if (found.length >= limit) return found;
          found.push(span.item);
        }
      }
    }
    return found;
  }
}
