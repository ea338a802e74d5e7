/** Which intervals touch a range: buckets by length; a look-up costs what it finds. */

/** An append-only index of items by the rows they span. */
export class Spans<T> {
  /** The items, in the order in which they were added. */
  readonly all: T[] = [];
  private readonly firsts: number[] = [];
  private readonly lasts: number[] = [];
  /** Level k holds spans shorter than 2^(k+1), by their index, in buckets of 2^k rows. */
  private readonly levels: Map<number, number[]>[] = [];

  add(first: number, last: number, item: T): void {
    const level = Math.max(3, 31 - Math.clz32(last - first + 1));
    while (this.levels.length <= level) this.levels.push(new Map());
    const bucket = Math.floor(first / 2 ** level);
    const indexes = this.levels[level].get(bucket);
    if (indexes === undefined) this.levels[level].set(bucket, [this.all.length]);
    else indexes.push(this.all.length);
    this.all.push(item);
    this.firsts.push(first);
    this.lasts.push(last);
  }

  /** Return the items whose rows touch `first` ... `last`, at most `limit`. */
  touching(first: number, last: number, limit = Infinity): T[] {
    const found: T[] = [];
    for (const [level, buckets] of this.levels.entries()) {
      // A span shorter than two buckets can begin at most two buckets earlier.
      const start = Math.floor(first / 2 ** level) - 2;
      const end = Math.floor(last / 2 ** level);
      for (let bucket = start; bucket <= end; bucket++) {
        for (const index of buckets.get(bucket) ?? []) {
          if (this.firsts[index] > last || this.lasts[index] < first) continue;
          if (found.length >= limit) return found;
          found.push(this.all[index]);
        }
      }
    }
    return found;
  }
}
