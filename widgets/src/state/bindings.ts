/** What the names of the source mean, and what it has printed, at any position. */

import type { NamesEvent, OutputEvent } from "../events";
import { countBefore, Timeline } from "./timeline";

/** A tensor's number, or a word for anything else. */
export type Meaning = number | string;

export class Bindings {
  private readonly scopes = new Map<string, Map<string, Timeline<Meaning | undefined>>>();
  private readonly scope = new Timeline<string>();
  private readonly printed: OutputEvent[] = [];

  names({ seq, scope, tensors, texts, gone }: NamesEvent): void {
    this.scope.push(seq, scope);
    const names = this.scopes.get(scope) ?? new Map<string, Timeline<Meaning | undefined>>();
    this.scopes.set(scope, names);
    const set = (name: string, meaning: Meaning | undefined): void => {
      const timeline = names.get(name) ?? new Timeline<Meaning | undefined>();
      names.set(name, timeline);
      timeline.push(seq, meaning);
    };
    for (const name of gone) set(name, undefined);
    for (const [name, meaning] of Object.entries({ ...texts, ...tensors })) set(name, meaning);
  }

  output(event: OutputEvent): void {
    this.printed.push(event);
  }

  /** The names of the running scope, and after them the outermost ones. */
  at(position: number): { scope: string; names: readonly (readonly [string, Meaning])[] }[] {
    const scopes = new Set([this.scope.at(position) ?? "", ""]);
    return [...scopes].map((scope) => ({
      scope,
      names: [...(this.scopes.get(scope) ?? [])].flatMap(([name, timeline]) => {
        const meaning = timeline.at(position);
        return meaning === undefined ? [] : [[name, meaning] as const];
      }),
    }));
  }

  /** What was printed until then, its end if it is long. */
  outputAt(position: number): string {
    const count = countBefore(this.printed, position);
    const texts = this.printed.slice(Math.max(0, count - 200), count);
    return texts.map(({ text }) => text).join("").slice(-4000);
  }
}
