/** Which groups of a mirrored graph are closed, and the graph as it then looks. */

import { everyGroup, groupsAround, type Group } from "../layout/groups";
import { countText, thousands } from "../text";
import { FoldedPicture } from "./folded";
import { isData, type Mirror } from "./mirror";
import type { Picture } from "./picture";

const PREFIX = "fold:";

export class Folding {
  private readonly closed = new Set<string>();
  /** Made anew when groups are closed or opened; it follows the graph by itself. */
  private drawn: FoldedPicture | undefined;

  constructor(
    readonly id: string,
    readonly mirror: Mirror,
  ) {}

  /** The graph as it looks now: the mirror itself while nothing is closed. */
  get picture(): Picture {
    return this.closed.size === 0 ? this.mirror : this.folded();
  }

  get isFolded(): boolean {
    return this.closed.size > 0;
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

  closeAll(): void {
    this.set([...everyGroup(this.mirror.groups)], true);
  }

  openAll(): void {
    this.set([...everyGroup(this.mirror.groups)], false);
    this.closed.clear();
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
    for (const { id } of groups) {
      if (closed) this.closed.add(id);
      else this.closed.delete(id);
    }
    this.drawn = undefined;
  }

  private folded(): FoldedPicture {
    this.drawn ??= new FoldedPicture(this.mirror, this.outermost(), {
      key: (group, gradient) => groupKey(this.id, group, gradient),
      title: groupTitle,
    });
    return this.drawn.follow();
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
    visit(this.mirror.groups);
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

export function groupDetail({ first, end }: Group): string {
  return countText(end - first, "operator");
}
