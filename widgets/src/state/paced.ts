/** What is made anew as something grows, so seldom that making it takes little time. */

/** After it was made it rests for so many times as long as that took. */
const REST = 9;

export class Paced<T> {
  /** Whether the last answer was one made before the latest change. */
  isBehind = false;
  private made: { readonly value: T; readonly version: number } | undefined;
  private next = -Infinity;

  constructor(private readonly clock = (): number => performance.now()) {}

  /** What `make` makes of this version; if it was just made, that of an earlier one. */
  at(version: number, make: () => T): T {
    const start = this.clock();
    const known = this.made;
    this.isBehind = known !== undefined && known.version !== version && start < this.next;
    if (known !== undefined && (this.isBehind || known.version === version)) {
      return known.value;
    }
    const value = make();
    const end = this.clock();
    this.next = end + REST * (end - start);
    this.made = { value, version };
    return value;
  }

  /** What was made is of no use: the next is made at once. */
  forget(): void {
    this.made = undefined;
  }
}
