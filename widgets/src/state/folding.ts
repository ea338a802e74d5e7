/** Which groups of a mirrored graph are closed, and the graph as it then looks. */

import { everyGroup, groupsAround, type Group } from "../layout/groups";
import { closedAt, closedToFit, MOST_BOXES } from "../layout/levels";
import { countText, thousands } from "../text";
import { FoldedPicture } from "./folded";
import { isData, type Mirror } from "./mirror";
import type { Picture } from "./picture";
import { WHOLE, type Section } from "./section";
import { countBefore } from "./timeline";

const PREFIX = "fold:";
/** So many pictures are kept: of the steps that one goes back and forth between. */
const MOST_KEPT = 12;
const ALL = Infinity;
/** Of so many of its rows, what is seen from nearer tells more. */
const NEARER = 0.5;
const LEAST_NODES = 14;
/** So many turns of a loop are one box with a count. */
const LEAST_TURNS = 3;

export class Folding {
  private closed = new Set<string>();
  private section: Section = WHOLE;
  /** How many levels are open; undefined until all is there: then as many as fit. */
  private level: number | undefined = ALL;
  private most = MOST_BOXES[0];
  private isChosen = false;
  /** What was opened (false) and closed by hand, by its place in the section. */
  private readonly own = new Map<string, boolean>();
  /** Pictures of sections as they are folded now; they follow the graph by themselves. */
  private readonly drawn = new Map<string, FoldedPicture>();

  constructor(
    readonly id: string,
    readonly mirror: Mirror,
    /** The name of what an edge carries. */
    private readonly wire: (key: string) => string = () => "",
  ) {}

  /** The graph as it looks now: the mirror itself while nothing is closed. */
  get picture(): Picture {
    return this.closed.size === 0 && this.section.id === "" ? this.mirror : this.folded();
  }

  get isFolded(): boolean {
    return this.closed.size > 0;
  }

  /** All is there: open as much as can be read, unless somebody chose something else. */
  settle(fits: (picture: Picture, width: boolean, near?: boolean) => boolean): void {
    if (this.isChosen || this.level === undefined) return;
    this.level = undefined;
    this.mirror.settle();
    if (this.tries((picture) => fits(picture, true)) || this.tries((picture) => fits(picture, false))) {
      this.near(fits);
      return;
    }
    this.most = MOST_BOXES[0];
    this.refresh();
  }

  /** Close some more layers, if two lines to a box and what it keeps can then be read. */
  private near(fits: (picture: Picture, width: boolean, near?: boolean) => boolean): void {
    const { most, picture } = this;
    const lines = [...everyGroup(this.mirror.groups)].filter(({ kind }) => kind === "line");
    const count = (): number => lines.filter(({ id }) => this.closed.has(id)).length;
    const [least, closed] = [NEARER * picture.lowest, count()];
    const tells = ({ lowest }: Picture): boolean => lowest >= least && count() === closed;
    if (this.tries((closer) => tells(closer) && fits(closer, true, true))) return;
    this.most = most;
    this.refresh();
  }

  /** Open as much as fits; return whether anything does. */
  private tries(fits: (picture: Picture) => boolean): boolean {
    let known = -1;
    for (const most of MOST_BOXES) {
      this.most = most;
      this.refresh();
      // What closes no more is the same picture.
      if (this.closed.size === known) continue;
      known = this.closed.size;
      const { picture } = this;
      // A few boxes would say less than many that one has to scroll through.
      if (picture.nodes.length >= LEAST_NODES && fits(picture)) return true;
    }
    return false;
  }

  /** Look at a part of the graph; it is folded as the last one was. */
  look(section: Section): void {
    if (section.id === this.section.id) return;
    this.section = section;
    this.fold();
  }

  /** Open so many levels of groups. */
  openTo(level: number): void {
    this.level = level;
    this.isChosen = true;
    this.own.clear();
    this.refresh();
  }

  closeAll(): void {
    this.openTo(1);
  }

  openAll(): void {
    this.openTo(ALL);
  }

  /** Close the innermost open group around `key`; return what now stands for it. */
  close(key: string | undefined): string | undefined {
    const around = this.around(key);
    const open = around.filter((group) => !this.isHidden(group));
    const group = open.at(-1);
    if (group === undefined) return undefined;
    this.set([group], true);
    return groupKey(this.id, group);
  }

  /** Open the group that `key` is; return what first comes out of it. */
  open(key: string): string | undefined {
    const group = groupOf(this.mirror, key) ?? this.boxed(key);
    if (group === undefined || !this.closed.has(group.id)) return undefined;
    this.set([group], false);
    const [child] = group.children;
    if (child !== undefined && child.first === group.first && this.closed.has(child.id)) {
      return groupKey(this.id, child);
    }
    return this.mirror.ops[group.first]?.key;
  }

  /** Open whatever hides `key`. */
  reveal(key: string): void {
    if (this.closed.size === 0 || this.folded().nodesOf(key).length > 0) return;
    const node = this.mirror.nodesOf(key).at(-1);
    if (node === undefined || key.includes(PREFIX)) return;
    const hiding = this.folded().groupAt(node.op);
    const around = groupsAround(this.mirror.groups, node.op);
    if (hiding !== undefined) this.set([hiding, ...around], false);
  }

  /** What shows `key` as the graph looks now: a closed group, or the thing itself. */
  shownAs(key: string): string {
    const node = this.mirror.nodesOf(key).at(-1);
    if (this.closed.size === 0 || node === undefined || isData(node)) return key;
    const hiding = this.folded().groupAt(node.op);
    return hiding === undefined ? key : groupKey(this.id, hiding, node.side > 0);
  }

  private set(groups: readonly Group[], closed: boolean): void {
    this.isChosen = true;
    for (const group of groups) {
      this.own.set(this.placeOf(group), closed);
      if (closed) this.closed.add(group.id);
      else this.closed.delete(group.id);
    }
    this.drawn.clear();
  }

  private refresh(): void {
    this.drawn.clear();
    this.fold();
  }

  /** Close what is closed in the section that is looked at. */
  private fold(): void {
    const groups = this.groups();
    this.closed = new Set(this.closedOf(groups).map(({ id }) => id));
    if (this.own.size === 0) return;
    const visit = (group: Group): void => {
      const closed = this.own.get(this.placeOf(group));
      if (closed === true) this.closed.add(group.id);
      else if (closed === false) this.closed.delete(group.id);
      group.children.forEach(visit);
    };
    groups.forEach(visit);
  }

  private closedOf(groups: readonly Group[]): readonly Group[] {
    const { level, mirror } = this;
    if (level === ALL) return [];
    if (level !== undefined) return closedAt(groups, level);
    const { from, to } = this.section.ranges[this.section.ranges.length - 1];
    const nodes = mirror.nodes.slice(from.node, to?.node);
    const leaves = nodes.filter(({ shape, side }) => shape === "leaf" && side < 0).length;
    const [start, end] = this.bounds();
    return closedToFit(groups, end - start, leaves, this.most, (group) => this.isLoop(group));
  }

  /** Whether a line of the source ran so often: layers of one kind have names of their own. */
  private isLoop({ kind, times, first, end, children }: Group): boolean {
    if (kind !== "repeat" || times < LEAST_TURNS) return false;
    const { ops } = this.mirror;
    const next = ops[first + (end - first) / times];
    const isNamed = children.length > 1 && children[0].title !== children[1].title;
    return !isNamed && ops[first].line === next.line && ops[first].cell === next.cell;
  }

  /** The ops that are looked at, or those of the step if what is before them is too. */
  private bounds(): [number, number] {
    const { from, to } = this.section.ranges[this.section.ranges.length - 1];
    return [from.op, to?.op ?? this.mirror.ops.length];
  }

  private groups(): readonly Group[] {
    if (this.section.id === "") return this.mirror.groups;
    const [start, end] = this.bounds();
    return this.mirror.groups.filter(({ first }) => first >= start && first < end);
  }

  /** What is at the same place in every section has the same name. */
  private placeOf({ id }: Group): string {
    const first = Number.parseInt(id, 10);
    return `${first - this.bounds()[0]}${id.slice(String(first).length)}`;
  }

  private folded(): FoldedPicture {
    const { id } = this.section;
    let drawn = this.drawn.get(id);
    if (drawn === undefined) {
      if (this.drawn.size >= MOST_KEPT) this.drawn.clear();
      drawn = new FoldedPicture(this.mirror, this.outermost(), {
        key: (group, gradient) => groupKey(this.id, group, gradient),
        title: groupTitle,
        wire: this.wire,
      }, this.section);
      this.drawn.set(id, drawn);
    }
    return drawn.follow();
  }

  /** The group whose box `key` is. */
  private boxed(key: string): Group | undefined {
    const box = this.picture.nodesOf(key).at(-1);
    return box === undefined ? undefined : this.folded().groupAt(box.op);
  }

  private around(key: string | undefined): Group[] {
    if (key === undefined) return [];
    const group = groupOf(this.mirror, key);
    const op = group?.first ?? this.mirror.nodesOf(key).at(-1)?.op ?? -1;
    const around = groupsAround(this.mirror.groups, op);
    const at = around.findIndex(({ id }) => id === group?.id);
    return at < 0 ? around : around.slice(0, at);
  }

  /** Whether a group is closed, or inside one that is. */
  private isHidden(group: Group): boolean {
    const around = groupsAround(this.mirror.groups, group.first);
    const outer = around.slice(0, around.findIndex(({ id }) => id === group.id) + 1);
    return outer.some(({ id }) => this.closed.has(id));
  }

  /** The closed groups that no other closed group hides, in order. */
  private outermost(): Group[] {
    const found: Group[] = [];
    const visit = (groups: readonly Group[]): void => {
      for (const group of groups) {
        if (this.closed.has(group.id)) found.push(group);
        else visit(group.children);
      }
    };
    visit(this.groups());
    return found;
  }
}

export function groupKey(graph: string, { id }: Group, gradient = false): string {
  return `${gradient ? "g" : ""}${PREFIX}${graph}:${id}`;
}

/** The graph that a group's key belongs to; undefined for any other key. */
export function graphOfGroup(key: string): string | undefined {
  const start = key.indexOf(PREFIX);
  return start === 0 || start === 1 ? key.split(":")[1] : undefined;
}

export function groupOf(mirror: Mirror, key: string): Group | undefined {
  if (graphOfGroup(key) === undefined) return undefined;
  const id = key.slice(key.lastIndexOf(":") + 1);
  const around = groupsAround(mirror.groups, Number.parseInt(id, 10));
  return around.find((group) => group.id === id);
}

export function groupTitle({ title, times }: Group): string {
  return times > 1 ? `${title} ×${thousands(times)}` : title;
}

export function groupDetail({ first, end }: Group, done = end - first): string {
  const all = countText(end - first, "operator");
  return done < end - first ? `${thousands(done)} of ${all}` : all;
}

/** The parameters that each group's ops read, and how many of the ops there were. */
const parametersOf = new WeakMap<Group, { keys: readonly string[]; count: number }>();

/** The keys of the parameters that the ops of a group read, each once. */
export function parameterKeys({ ops, byRow }: Mirror, group: Group): readonly string[] {
  const inside = ops.slice(group.first, group.end);
  const known = parametersOf.get(group);
  if (known?.count === inside.length) return known.keys;
  const near = inside.flatMap(({ op, spot }) => byRow[spot.row].filter((node) => node.op === op));
  const read = near.filter(({ tone, shape }) => shape === "pin" && tone === "P");
  const keys = [...new Set(read.map(({ key }) => key))];
  parametersOf.set(group, { keys, count: inside.length });
  return keys;
}

/** How many of a group's ops had run before `position`. */
export function doneOf(mirror: Mirror, { first, end }: Group, position: number): number {
  return countBefore(mirror.ops, position, first, end);
}
