/** How much is tried of what is tried at random: all of it where `make full` sets `FULL`. */

const FULL = process.env.FULL !== undefined;

/** The seeds of a test, where `make full` tries `count` of them. */
export function seeds(count: number): number[] {
  const tried = FULL ? count : Math.max(Math.ceil(count / 4), 5);
  return Array.from({ length: tried }, (_, index) => index + 1);
}

/** How often something costly is tried, where `make full` tries it `count` times. */
export function rounds(count: number): number {
  return FULL ? count : 1;
}
