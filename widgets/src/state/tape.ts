/** Eager tensors, the nodes on the tape, and the gradients on the way back. */

import type {
  AnyEvent,
  AttrEvent,
  Backward,
  Free,
  GradEvent,
  NodeEvent,
  OpFailed,
  Role,
  Stats,
  TensorEvent,
  Value,
} from "../events";
import { shapeText } from "../text";
import { Mirror, ownerOf, type Input, type Made } from "./mirror";
import { Steps } from "./steps";
import { Timeline } from "./timeline";
import { operatorTone, TONES, type Tone } from "./tones";

export interface TapeTensor extends Made {
  readonly key: string;
  readonly event: TensorEvent;
  /** What it is called: its name, or in place of one what made it and its shape. */
  name: string;
  named: boolean;
  /** What it is now: a leaf, say, since its `stop_gradient` was set. */
  role: Role;
  producer?: TapeNode;
  readonly consumers: TapeNode[];
  readonly value: Timeline<Stats>;
  readonly gradient: Timeline<Stats>;
  /** The gradient as hooks found it, and what they made of it, until the next pass. */
  hooked?: Timeline<readonly [Stats, Stats] | undefined>;
  /** When and where the first part of its gradient came. */
  graded?: Made;
  /** When its values were replaced in place: by `set_value`, or through a view. */
  overwritten?: number[];
  /** Of a gradient that is read: whose it is. */
  readonly of: TapeTensor | undefined;
  /** Of a gradient that `grad` returns: whose it is. */
  returns?: TapeTensor;
  /** Whose values it shares, off the tape. */
  detached?: TapeTensor;
}

export interface TapeNode extends Made {
  readonly key: string;
  readonly event: NodeEvent;
  /** When and where its gradient was first computed. */
  graded?: Made;
  freed: number;
  /** What flowed from its gradient to its inputs, by the flow's key. */
  readonly flows: Map<string, Flow>;
}

/** A part of a tensor's gradient; an op that reads one twice gives it two. */
export interface Flow {
  readonly tensor: number;
  readonly value: Timeline<Stats>;
}

/** The scope of what a reverse pass computes a second time, as `recompute` asks for. */
const FORWARD_AGAIN = "forward again";

/** Ops that change a parameter: shown at its gradient, not as part of the data flow. */
const UPDATES = new Set(
  "sgd momentum adam adamw adagrad rmsprop adadelta adamax lamb".split(" "),
);

/** Whether a node changed a parameter, off the tape. */
function isUpdate(event: NodeEvent): boolean {
  return !event.taped && UPDATES.has(event.type);
}

/** What an op made: not what it wrote anew or saved, as a batch norm its statistics. */
export function mainOutput(
  { inputs, outputs }: NodeEvent,
  tensors: ReadonlyMap<number, TapeTensor>,
): TapeTensor | undefined {
  const made = outputs.filter((id) => !inputs.includes(id)).flatMap((id) => tensors.get(id) ?? []);
  const read = made.find(({ consumers, named }) => named || consumers.length > 0);
  return read ?? made[0] ?? tensors.get(outputs[0] ?? -1);
}

/** A value that an op made at `since`, as it was before anything else was written there. */
export function madeAt({ value, overwritten = [] }: TapeTensor, since: number, position: number): Stats | undefined {
  const until = overwritten.find((seq) => seq > since) ?? position;
  return value.at(Math.min(until, position));
}

export function nodeTone(event: NodeEvent): Tone {
  if (event.order > 1) return "grad";
  return operatorTone(event.type, isUpdate(event) ? "optimize" : "forward");
}

export const tensorKey = (id: number): string => `t:${id}`;
export const nodeKey = (id: number): string => `n:${id}`;
export const tensorGradientKey = (id: number): string => `gt:${id}`;
export const nodeGradientKey = (id: number): string => `gn:${id}`;
const flowKey = (node: number, tensor: number, turn: number): string =>
  `gf:${node}:${tensor}:${turn}`;

/** The key of a tensor's gradient; what `grad` returns is a tensor of its own. */
export const gradientKey = ({ event, returns }: TapeTensor): string =>
  (returns === undefined ? tensorGradientKey : tensorKey)(event.tensor);

/** `x.grad`, or `relu.grad [64, 10]` of a tensor without a name. */
export function gradientName({ name, named, returns }: TapeTensor): string {
  if (returns !== undefined) return name;
  return named ? `${name}.grad` : name.replace(/(?= )|$/, ".grad");
}

export class Tape {
  /** The steps of a training. */
  readonly steps: Steps = new Steps(
    () => this.mirror.mark(),
    () => this.beginStep(),
  );
  readonly mirror: Mirror = new Mirror(() => this.steps.cuts);
  readonly tensors = new Map<number, TapeTensor>();
  readonly nodes = new Map<number, TapeNode>();
  /** Tensors that no op made, in the order they were seen. */
  readonly leaves: TapeTensor[] = [];
  /** The class that announced it, of another engine than the framework. */
  engine: string | undefined;
  /** A reverse pass began, or ended, since the last op. */
  private turned = false;
  /** Since a pass nothing has run but what uses its gradients. */
  private settling = false;
  private passing = false;
  /** Whether the pass under way has told a gradient. */
  private flows = false;
  /** Reverse passes that had nothing to do, and where they began. */
  readonly barren: (Made & { readonly root: TapeTensor })[] = [];
  /** In the pass under way: how many parts of a tensor's gradient each node gave. */
  private readonly parts = new Map<number, Map<number, number>>();
  /** In the last pass: the tensors that `grad` returns, by whose gradients they are. */
  private readonly asked = new Map<number, TapeTensor>();
  /** What `grad` returns, by what an op made of it. */
  private readonly sames = new Map<TapeTensor, TapeTensor>();
  /** In the pass under way: tensors whose whole gradient was told. */
  private readonly wholes = new Set<number>();

  tensor(event: TensorEvent): void {
    const { seq, cell, line, tensor } = event;
    const named = event.name !== "";
    const of = this.tensors.get(event.grad_of ?? -1);
    const name = named ? event.name : of ? gradientName(of) : TONES[event.role].word;
    const value = new Timeline<Stats>();
    const gradient = new Timeline<Stats>();
    const key = tensorKey(tensor);
    const what = { seq, cell, line, key, event, name, named, role: event.role, of };
    const known = { ...what, consumers: [], value, gradient };
    this.tensors.set(tensor, known);
    this.engine ??= event.engine;
    if (event.role !== "T" && event.role !== "g") this.leaves.push(known);
  }

  /** What an op reads is a leaf with a gradient, or one without, from now on. */
  change(event: AttrEvent, id: number): void {
    const tensor = this.tensors.get(id);
    if (tensor === undefined) return;
    const { attr, value } = event;
    if (attr === "asked") this.ask(tensor, this.tensors.get(Number(value)));
    if (attr === "detached") this.detach(event, tensor, this.tensors.get(Number(value)));
    if (attr === "same") this.same(tensor, this.tensors.get(Number(value)));
    if (attr === "overwritten") this.overwrite(event, tensor);
    if (attr === "role" && value in TONES) tensor.role = value as Role;
    if (attr !== "stop_gradient" || !"leafDT".includes(tensor.role)) return;
    tensor.role = value === "True" ? "D" : "leaf";
    if (!this.leaves.includes(tensor)) this.leaves.push(tensor);
    this.goOn();
    this.mirror.leafOf(made(event), input(tensor));
  }

  private detach(event: AttrEvent, tensor: TapeTensor, from?: TapeTensor): void {
    if (from === undefined) return;
    tensor.detached = from;
    this.goOn();
    this.mirror.detached(made(event), input(tensor), from.key);
  }

  private overwrite(event: AttrEvent, tensor: TapeTensor): void {
    (tensor.overwritten ??= []).push(event.seq);
    this.mirror.overwrite(made(event), tensor.key);
  }

  private ask(of: TapeTensor, result?: TapeTensor): void {
    if (result === undefined) return;
    Object.assign(result, { returns: of, name: `grad of ${of.name}` });
    this.asked.set(of.event.tensor, result);
  }

  /** What `grad` returns was made by an op that it recorded: they share their name. */
  private same(result: TapeTensor, made?: TapeTensor): void {
    if (made !== undefined) this.sames.set(made, result);
  }

  /** What follows a backward pass stands under it. */
  private goOn(anew = true): void {
    if (this.turned) this.mirror.startBelow(anew);
    this.turned = false;
  }

  node(event: NodeEvent): void {
    const { seq, cell, line, node } = event;
    const key = nodeKey(node);
    const place = { seq, cell, line };
    const flows = new Map<string, Flow>();
    const known = { ...place, key, event, freed: Infinity, flows };
    this.nodes.set(node, known);
    for (const id of event.inputs) this.tensors.get(id)?.consumers.push(known);
    for (const id of event.outputs) {
      const tensor = this.tensors.get(id);
      if (tensor === undefined || event.inputs.includes(id)) continue;
      tensor.producer = known;
      if (!tensor.named) tensor.name = `${event.type} ${shapeText(tensor.event.shape)}`;
    }
    if (isUpdate(event)) {
      this.steps.update(event);
      this.update(event, key);
      return;
    }
    if (event.order === 1) {
      const isOwn = (since: number): boolean => event.inputs.some((id) => this.bornAt(id) >= since);
      this.steps.op(event, isOwn);
    }
    this.draw(event, key);
  }

  /** When an op made a tensor; before all else, if none did. */
  private bornAt(id: number): number {
    return this.tensors.get(id)?.producer?.seq ?? -1;
  }

  backward(event: Backward): void {
    this.turned = true;
    this.passing = event.phase === "begin";
    this.settling = !this.passing;
    if (!this.passing) {
      this.noteBarren(event);
      return this.steps.passEnded();
    }
    this.flows = false;
    this.steps.pass(event, event.roots[0] ?? -1);
    this.mirror.startPass();
    for (const told of [this.parts, this.wholes, this.asked]) told.clear();
  }

  /** A pass from what requires no gradient has nothing to do: that is no success. */
  private noteBarren(event: Backward): void {
    const [root] = event.roots.flatMap((id) => this.tensors.get(id) ?? []);
    if (this.flows || root?.event.stop_gradient !== true) return;
    this.barren.push({ ...made(event), root });
    this.mirror.barren(made(event), root.key);
  }

  gradient(event: GradEvent): void {
    this.flows = true;
    const { tensor, node, value, seq } = event;
    const result = this.asked.get(tensor);
    const target = result ?? this.tensors.get(tensor);
    if (target !== undefined) target.graded ??= made(event);
    const wire = tensorKey(tensor);
    const whole = this.wholeKey(tensor);
    const givers = this.parts.get(tensor) ?? new Map<number, number>();
    if (target !== undefined) this.noteHooks(event, target, givers);
    // The first part is the whole until a second one comes, and then their sum.
    if (event.total || givers.size === 0) target?.[result ? "value" : "gradient"].push(seq, value);
    if (node !== undefined) {
      const turn = givers.get(node) ?? 0;
      this.parts.set(tensor, givers.set(node, turn + 1));
      this.flow(event, node, turn, wire, whole);
    } else if (!event.total) this.mirror.seed(event, whole, wire, whole);
    // After the pass: a leaf had a gradient before, to which this one was added.
    else if (this.turned && !this.passing) this.mirror.sum(made(event), whole, wire);
  }

  /** The key of what the last pass made of a tensor's gradient. */
  wholeKey(tensor: number): string {
    const result = this.asked.get(tensor);
    return result?.key ?? tensorGradientKey(tensor);
  }

  /** What a pass tells as whole although it is neither a sum, nor new, hooks made. */
  private noteHooks(
    { tensor, total, seq, value }: GradEvent,
    target: TapeTensor,
    givers: ReadonlyMap<number, number>,
  ): void {
    if (!this.passing) return;
    const [turns = 0, ...others] = givers.values();
    const isWhole = this.wholes.has(tensor) || turns + others.length < 2;
    const before = target.gradient.at(seq);
    const changed = total && isWhole && before && this.mirror.isHooked(target.key);
    if (total) this.wholes.add(tensor);
    if (changed) (target.hooked ??= new Timeline()).push(seq, [before, value]);
    else target.hooked?.push(seq, undefined);
  }

  free(event: Free): void {
    const node = this.nodes.get(event.node);
    if (node !== undefined) node.freed = Math.min(node.freed, event.seq);
    this.mirror.free(event.seq, nodeKey(event.node));
  }

  value(event: Value): void {
    this.tensors.get(event.tensor)?.value.push(event.seq, event.value);
  }

  /** A Python name was found for a tensor. */
  rename(id: number, name: string): void {
    const tensor = this.tensors.get(id);
    if (tensor !== undefined) Object.assign(tensor, { name, named: true });
    const result = tensor && this.sames.get(tensor);
    if (result !== undefined) Object.assign(result, { name, named: true });
  }

  /** A hook was put on a tensor's gradient; one without a name was taken off. */
  hook(event: AttrEvent, id: number): void {
    if (event.value === "") this.mirror.unhook(event.seq, tensorKey(id));
    else this.mirror.hook(made(event), tensorKey(id), tensorGradientKey(id));
  }

  failed(event: OpFailed, key: string): void {
    const inputs = event.inputs.flatMap(({ tensor: id }) => {
      const tensor = this.tensors.get(id ?? -1);
      return tensor === undefined ? [] : [input(tensor)];
    });
    const what = { key, title: event.type, tone: "failed" as const, untaped: true };
    this.mirror.failed({ ...made(event), ...what, inputs, outputs: [] });
  }

  private beginStep(): void {
    this.settling = false;
    this.mirror.startBelow();
  }

  /** The layer that ran an op; of what a line does with gradients the line itself. */
  private scopeOf(event: NodeEvent): readonly string[] {
    if (event.order > 1) {
      const isAgain = event.scope?.split("/").includes(FORWARD_AGAIN);
      return [`${isAgain ? FORWARD_AGAIN : "gradients"}, line ${event.line}`];
    }
    if (event.taped || event.scope !== undefined) this.settling = false;
    if (event.scope !== undefined) return event.scope.split("/");
    const text = this.settling ? this.steps.textOf(event.cell, event.line) : "";
    return text === "" ? layerOf(event, this.tensors) : [text];
  }

  private draw(event: NodeEvent, key: string): void {
    this.goOn(event.order === 1);
    const inputs = event.inputs.flatMap((id) => {
      const tensor = this.tensors.get(id);
      return tensor === undefined ? [] : [input(tensor)];
    });
    const outputs = event.outputs.map(tensorKey);
    const tone = nodeTone(event);
    this.mirror.forward({
      seq: event.seq,
      cell: event.cell,
      line: event.line,
      key,
      title: event.type,
      tone,
      untaped: !event.taped,
      inputs,
      outputs,
      second: event.order > 1,
      scope: this.scopeOf(event),
      stops: event.outputs.filter((id) => this.isDetached(id, event)).map(tensorKey),
    });
    this.mirror.keep(made(event), key, event.taped ? event.saved : []);
  }

  /** Whether an output stops the gradient although the op that made it is taped. */
  private isDetached(id: number, event: NodeEvent): boolean {
    return event.taped && this.tensors.get(id)?.event.stop_gradient === true;
  }

  private update(event: NodeEvent, key: string): void {
    const parameter = event.inputs[0] ?? event.outputs[0];
    const what = { key, title: event.type, tone: "optimise" as const };
    const { LearningRate: size } = event.attrs;
    const name = `learning_rate = ${size}`;
    const rate = size === undefined ? undefined : { wire: key, name };
    this.mirror.update({ ...made(event), ...what }, tensorKey(parameter), rate);
  }

  private flow(
    event: GradEvent,
    node: number,
    turn: number,
    wire: string,
    whole: string,
  ): void {
    const source = this.nodes.get(node);
    if (source === undefined) return;
    source.graded ??= made(event);
    const result = this.asked.get(event.tensor);
    const tensor = result?.event.tensor ?? event.tensor;
    const part = flowKey(node, tensor, turn);
    let flow = source.flows.get(part);
    if (flow === undefined) {
      flow = { tensor, value: new Timeline<Stats>() };
      source.flows.set(part, flow);
    }
    flow.value.push(event.seq, event.value);
    const key = nodeGradientKey(node);
    const title = `${source.event.type}_grad`;
    const what = { ...made(event), key, title, tone: "grad" as const };
    this.mirror.backward(what, source.key);
    this.mirror.flow(made(event), wire, part, whole, key, result !== undefined);
  }
}

function made({ seq, cell, line }: AnyEvent): Made {
  return { seq, cell, line };
}

/** The layer whose parameter an op reads: `fc_0` of `fc_0.w_0`. */
function layerOf(
  event: NodeEvent,
  tensors: ReadonlyMap<number, TapeTensor>,
): readonly string[] {
  for (const id of event.inputs) {
    const tensor = tensors.get(id);
    if (tensor?.role === "P") return ownerOf(tensor.event.name);
  }
  return [];
}

function input({ cell, line, key: wire, name, role: tone }: TapeTensor): Input {
  return { cell, line, wire, name, tone };
}
