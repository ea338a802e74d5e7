/** What the names of the source mean, and what it has printed, at any position. */

import type { NamesEvent, OutputEvent } from "../events";
import { countBefore, Timeline } from "./timeline";

/** A tensor's number, or a word for anything else. */
export type Meaning = number | string;

export class Bindings {
  private readonly scopes = new Map<string, Map<string, Timeline<Meaning | undefined>>>();
  private readonly scope = new Timeline<string>();
  /** The Python name of a program's variable: the first that it had. */
  readonly variables = new Map<string, string>();
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
    for (const [name, meaning] of Object.entries({ ...texts, ...tensors })) {
      set(name, meaning);
      const [word, variable] = String(meaning).split(" ");
      if (word === "variable" && !this.variables.has(variable)) this.variables.set(variable, name);
    }
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

  /** What a variable is called: a generated name says nothing, if Python has another, or none. */
  said(variable: string): string {
    const [name, gradient = ""] = variable.split(/(?=@GRAD)/);
    if (!/(^|[_.])(tmp|var)_\d+$/.test(name)) return variable;
    const own = this.variables.get(name);
    return own === undefined ? "" : own + gradient;
  }

  /** What a name means in a scope that runs at a position. */
  meaning(name: string, position: number): Meaning | undefined {
    for (const { names } of this.at(position)) {
      const known = names.find(([own]) => own === name);
      if (known !== undefined) return known[1];
    }
    return undefined;
  }

  /** What was printed until then, its end if it is long. */
  outputAt(position: number): string {
    const count = countBefore(this.printed, position);
    const texts = this.printed.slice(Math.max(0, count - 200), count);
    return texts.map(({ text }) => text).join("").slice(-4000);
  }
}
