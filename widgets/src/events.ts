// Generated from events.py by `python -m teachgraph_widgets.typescript`; never edited.
export const VERSION = 1;

export type Shape = number[];

export type Count = number;

export type Role = "P" | "B" | "leaf" | "D" | "T" | "g" | "L";

export type OpRole = "forward" | "loss" | "backward" | "optimize";

export type AnyEvent =
  | CellBegin
  | CellEnd
  | Line
  | ProgramEvent
  | BlockEvent
  | VarEvent
  | OpEvent
  | OpRemoved
  | AttrEvent
  | TensorEvent
  | NodeEvent
  | Backward
  | GradEvent
  | Free
  | Run
  | RunOp
  | Value
  | OpFailed
  | PassEvent
  | PlanEvent
  | AstEvent
  | TrainEvent
  | ProfileEvent
  | Dropped
  | NamesEvent
  | OutputEvent
  | AboutEvent
  | BesideEvent
  | ProcessEvent
  | MessageEvent;

/**
 * A tensor's value, small enough to send: at most 2 kB.
 *
 * `min` ... `norm` are those of the finite elements. JSON has neither NaN nor
 * infinity, so what is not finite is null. `hist` has equal bins from `min` to `max`;
 * `heat` goes row by row, pooled to at most 32x32 (of more than two dimensions, the
 * first matrix); `first` holds the first elements. The three are empty in an outline,
 * the form of a value over the budget. With `stride`, `hist` counts only
 * each stride-th element. A tensor of pictures, with 1 channel or 3 before the height,
 * has `image` in place of `heat`: the first picture as base64 of its pixels, row by
 * row, a byte a channel from `min` (0) to `max` (255), pooled to `image_size`.
 */
export interface Stats {
  shape: Shape;
  dtype: string;
  min: number | null;
  max: number | null;
  mean: number | null;
  std: number | null;
  norm: number | null;
  nan: Count;
  inf: Count;
  hist: Count[];
  heat: ((number | null)[])[];
  first: (number | null)[];
  stride?: Count;
  image?: string;
  image_size?: Count[];
}

/**
 * Base of all events.
 *
 * `seq` counts from 0 without gaps; `t` is seconds since the trace began; `line`
 * counts from 1 within the source of `cell`, 0 for no line.
 */
export interface Event {
  seq: Count;
  t: number;
  cell: number;
  line: Count;
}

/**
 * A traced source starts to run.
 *
 * If it is `sampled`, only those starts of its lines are told after which something
 * happened, so that the count of them is a lower bound.
 */
export interface CellBegin extends Event {
  kind: "cell_begin";
  title: string;
  source: string;
  sampled?: boolean;
}

/**
 * A traced source has ended; `error` is the last line of its traceback, if any.
 *
 * `starts` has the number of starts of each line of which not all were told.
 */
export interface CellEnd extends Event {
  kind: "cell_end";
  ok: boolean;
  error?: string;
  starts?: Record<string, Count>;
}

/** The statement at `line` starts; `starts` counts it and those not told before. */
export interface Line extends Event {
  kind: "line";
  starts?: Count;
}

/**
 * A Program appeared. `origin` is the program it was cloned from.
 *
 * `process` is the process of a cluster that it belongs to.
 */
export interface ProgramEvent extends Event {
  kind: "program";
  program: number;
  role: "startup" | "main" | "test" | "other";
  title: string;
  origin?: number;
  process?: number;
}

/** A Block appeared in a Program; the root's parent is -1. */
export interface BlockEvent extends Event {
  kind: "block";
  program: number;
  block: number;
  parent: number;
}

/** A Variable was added to a Block. */
export interface VarEvent extends Event {
  kind: "var";
  program: number;
  block: number;
  name: string;
  role: Role;
  shape: Shape;
  dtype: string;
  persistable: boolean;
  stop_gradient: boolean;
}

/**
 * An Operator was inserted at `index` of a Block.
 *
 * `twin` is the id of the forward op a gradient op belongs to. Inputs and outputs map
 * slot names to variable names; attributes come as short text. `scope` is the layer or
 * name scope it belongs to, outermost first: `encoder/fc_0`.
 */
export interface OpEvent extends Event {
  kind: "op";
  program: number;
  block: number;
  index: number;
  op: number;
  type: string;
  role: OpRole;
  inputs: Record<string, string[]>;
  outputs: Record<string, string[]>;
  attrs: Record<string, string>;
  twin?: number;
  scope?: string;
}

/** An Operator was removed from its Block. */
export interface OpRemoved extends Event {
  kind: "op_removed";
  op: number;
}

/**
 * An attribute changed: of a variable (by program and name), an op or a tensor.
 *
 * The Python name that a line binds to a tensor comes as `attr: "name"`, a hook on its
 * gradient as `attr: "hook"` with the hook's name (empty once removed). A tensor is a
 * leaf from `attr: "stop_gradient"`, value `False`, on, and data from `True` on.
 * Values that are replaced in place, by `set_value` or through a view, come as
 * `attr: "overwritten"` and then a `value`: what an op computed was there before.
 * A new `role` comes when a tensor's use or its layer says what it is. The number of
 * runs of a program, if the last was not recorded, comes as its `attr: "runs"`.
 */
export interface AttrEvent extends Event {
  kind: "attr";
  program?: number;
  name?: string;
  op?: number;
  tensor?: number;
  attr: string;
  value: string;
}

/**
 * An eager Tensor was seen for the first time.
 *
 * `engine` is its class if another engine than the framework announced it.
 * `grad_of` is the tensor whose gradient it is, read by an op, a hook or a clipping.
 */
export interface TensorEvent extends Event {
  kind: "tensor";
  tensor: number;
  name: string;
  role: Role;
  shape: Shape;
  dtype: string;
  stop_gradient: boolean;
  engine?: string;
  grad_of?: number;
}

/**
 * An op ran on Tensors.
 *
 * `taped` says whether it left a node on the tape; `saved` names the slots that it
 * saves for backward, one of which only the shape is saved as `X.shape`; `order` is 1
 * for the user's own ops, 2 for those that a backward pass with `create_graph`
 * records, and so on; `scope` is the layer that ran it, outermost first:
 * `encoder/fc_0`; `engine` is as in `TensorEvent`.
 */
export interface NodeEvent extends Event {
  kind: "node";
  node: number;
  type: string;
  inputs: number[];
  outputs: number[];
  attrs: Record<string, string>;
  saved: string[];
  taped: boolean;
  order: number;
  scope?: string;
  engine?: string;
}

/** A backward pass begins at, or has ended for, these tensors. */
export interface Backward extends Event {
  kind: "backward";
  phase: "begin" | "end";
  roots: number[];
}

/**
 * A gradient flowed to `tensor`, from the node that used it (absent: the seed).
 *
 * With `total` it is the sum of all contributions, or that sum after its hooks; after
 * the pass, `.grad` itself.
 */
export interface GradEvent extends Event {
  kind: "grad";
  tensor: number;
  node?: number;
  total: boolean;
  value: Stats;
}

/** The backward pass released a node's saved tensors. */
export interface Free extends Event {
  kind: "free";
  node: number;
}

/**
 * One run of a Program by an Executor.
 *
 * `count` is the number of runs of this program so far, with those not recorded.
 */
export interface Run extends Event {
  kind: "run";
  program: number;
  run: number;
  phase: "begin" | "end";
  count?: Count;
}

/** An Operator ran; `values` maps its output names to their new values. */
export interface RunOp extends Event {
  kind: "run_op";
  run: number;
  op: number;
  values: Record<string, Stats>;
}

/** The value of an eager Tensor. */
export interface Value extends Event {
  kind: "value";
  tensor: number;
  value: Stats;
}

/** One input of an op that failed; `tensor` is the number of an eager one. */
export interface Argument {
  slot: string;
  name: string;
  shape: Shape;
  dtype: string;
  tensor?: number;
}

/**
 * An op raised; it is drawn hatched on its line. `program` is absent when eager.
 *
 * `op` is the operator that could not run, `block` the block that it is in, or that it
 * was to be inserted into.
 */
export interface OpFailed extends Event {
  kind: "op_failed";
  program?: number;
  type: string;
  inputs: Argument[];
  message: string;
  op?: number;
  block?: number;
}

/** One rewrite: the types of the operators before and after, and its description. */
export interface PassChange {
  old: string[];
  new: string[];
  what: string;
  where: string;
}

/** A pass has rewritten `program`; events of its operators came before. */
export interface PassEvent extends Event {
  kind: "pass";
  program: number;
  name: string;
  before: Count;
  after: Count;
  changes: PassChange[];
}

/**
 * A buffer's place in the arena; it lives from operator `start` to `end`, included.
 *
 * `alias_of` names the buffer whose bytes it reuses in place.
 */
export interface PlanBuffer {
  name: string;
  offset: Count;
  size: Count;
  start: Count;
  end: Count;
  alias_of?: string;
}

/** A memory plan: temporaries in one arena, in bytes; `ops` are operators' types. */
export interface PlanEvent extends Event {
  kind: "plan";
  arena: Count;
  naive_peak: Count;
  planned_peak: Count;
  buffers: PlanBuffer[];
  program?: number;
  ops?: string[];
}

/**
 * An operator, as text, and the line of the transformed source that appends it.
 *
 * The line is 0 if another function appends it.
 */
export interface AstOp {
  text: string;
  line: Count;
  op?: number;
}

/**
 * A function as `to_static` has rewritten it.
 *
 * `lines` has for each line of `transformed`, from the first, the line of `source` it
 * comes from, or 0. Lines count from 1 in either.
 */
export interface AstEvent extends Event {
  kind: "ast";
  function: string;
  source: string;
  transformed: string;
  lines: Count[];
  ops: AstOp[];
}

/**
 * One step of training: its loss, its metrics and its duration.
 *
 * `steps` is the total number, if it is known; `samples` are those of this step;
 * `norms` are the norms of the gradients, layer by layer.
 */
export interface TrainEvent extends Event {
  kind: "train";
  step: Count;
  epoch: Count;
  loss: number | null;
  seconds: number;
  samples: Count;
  metrics: Record<string, number | null>;
  norms: Record<string, number | null>;
  steps?: Count;
  rate?: number;
}

/**
 * A timed span: seconds from the profile's begin, nested by `depth`.
 *
 * `bytes` is the size of its results; `at` is the user's line.
 */
export interface Span {
  name: string;
  start: number;
  duration: number;
  depth: Count;
  bytes?: Count;
  at?: Count;
}

/** Spans of a profile; several events with one `title` are one profile. */
export interface ProfileEvent extends Event {
  kind: "profile";
  title: string;
  spans: Span[];
}

/** A count of events that were cut, sampled or left out, and the reason. */
export interface Dropped extends Event {
  kind: "dropped";
  count: Count;
  what: string;
  why: string;
}

/**
 * Some names of the source mean something else from now on.
 *
 * `scope` is the function that they are local to, empty for the outermost; `tensors`
 * maps names to numbers of tensors, `texts` to a word for anything else; `gone` are
 * names without a meaning.
 */
export interface NamesEvent extends Event {
  kind: "names";
  scope: string;
  tensors: Record<string, number>;
  texts: Record<string, string>;
  gone: string[];
}

/** The source printed something. */
export interface OutputEvent extends Event {
  kind: "output";
  text: string;
}

/**
 * The docstring of an op, its inputs and outputs, and its gradient rule.
 *
 * `rule` is the source of the gradient rule's body, `takes` are its parameters:
 * upstream gradients, such as `dout`, and what it saves.
 */
export interface AboutEvent extends Event {
  kind: "about";
  type: string;
  text: string;
  inputs: string[];
  outputs: string[];
  rule: string;
  takes: string[];
}

/**
 * Another trace is to be shown beside this one, under one slider.
 *
 * `log` is the other one's log, as JSON; `stops` are pairs of numbers of events that
 * are over in either at the same moment, increasing; `first` is such a pair, where the
 * two first differ, empty if nowhere; `words` says of either what differs.
 */
export interface BesideEvent extends Event {
  kind: "beside";
  log: string;
  stops: Count[][];
  first: Count[];
  words: string[];
}

/** A process of a cluster began, or began again after it died. */
export interface ProcessEvent extends Event {
  kind: "process";
  process: number;
  role: "trainer" | "server";
  title: string;
}

/**
 * A process of a cluster sent, received, waited, updated or saved parameters.
 *
 * `what` is a call of its transport, `peer` the title of whom it spoke to, empty for
 * all; `name` is the variable, or the kind of barrier. It took `duration` seconds from
 * `start`, on the clock of `t`. `step` counts the runs of a trainer's program, 0 for
 * its startup program, and the updates of a server. "restart" is the start of a
 * process in place of one that died; it goes on from that step.
 */
export interface MessageEvent extends Event {
  kind: "message";
  process: number;
  step: Count;
  what: "send" | "recv" | "barrier" | "all_reduce" | "broadcast" | "serve" | "update" | "save" | "restart";
  peer: string;
  name: string;
  bytes: Count;
  start: number;
  duration: number;
}

/** A whole trace, as saved in a page or sent as the snapshot. */
export interface Log {
  version: number;
  title: string;
  events: AnyEvent[];
}

export type Kind = AnyEvent["kind"];

/**
 * Every structure's fields and their types, for checking a log at run time. An event,
 * which stands under its kind, has those of `Event` too.
 *
 * `?` after a name: may be absent; after a type: may be null; `[]`: a list; `{}`: a
 * mapping from strings; `=a|b`: one of these words; `count`: an integer from 0.
 */
export const FIELDS: Record<string, string> = {
  Stats: "shape:int[] dtype:str min:float? max:float? mean:float? std:float? norm:float? nan:count inf:count hist:count[] heat:float?[][] first:float?[] stride?:count image?:str image_size?:count[]",
  Event: "seq:count t:float cell:int line:count kind:str",
  cell_begin: "title:str source:str sampled?:bool",
  cell_end: "ok:bool error?:str starts?:count{}",
  line: "starts?:count",
  program: "program:int role:=startup|main|test|other title:str origin?:int process?:int",
  block: "program:int block:int parent:int",
  var: "program:int block:int name:str role:=P|B|leaf|D|T|g|L shape:int[] dtype:str persistable:bool stop_gradient:bool",
  op: "program:int block:int index:int op:int type:str role:=forward|loss|backward|optimize inputs:str[]{} outputs:str[]{} attrs:str{} twin?:int scope?:str",
  op_removed: "op:int",
  attr: "program?:int name?:str op?:int tensor?:int attr:str value:str",
  tensor: "tensor:int name:str role:=P|B|leaf|D|T|g|L shape:int[] dtype:str stop_gradient:bool engine?:str grad_of?:int",
  node: "node:int type:str inputs:int[] outputs:int[] attrs:str{} saved:str[] taped:bool order:int scope?:str engine?:str",
  backward: "phase:=begin|end roots:int[]",
  grad: "tensor:int node?:int total:bool value:Stats",
  free: "node:int",
  run: "program:int run:int phase:=begin|end count?:count",
  run_op: "run:int op:int values:Stats{}",
  value: "tensor:int value:Stats",
  Argument: "slot:str name:str shape:int[] dtype:str tensor?:int",
  op_failed: "program?:int type:str inputs:Argument[] message:str op?:int block?:int",
  PassChange: "old:str[] new:str[] what:str where:str",
  pass: "program:int name:str before:count after:count changes:PassChange[]",
  PlanBuffer: "name:str offset:count size:count start:count end:count alias_of?:str",
  plan: "arena:count naive_peak:count planned_peak:count buffers:PlanBuffer[] program?:int ops?:str[]",
  AstOp: "text:str line:count op?:int",
  ast: "function:str source:str transformed:str lines:count[] ops:AstOp[]",
  train: "step:count epoch:count loss:float? seconds:float samples:count metrics:float?{} norms:float?{} steps?:count rate?:float",
  Span: "name:str start:float duration:float depth:count bytes?:count at?:count",
  profile: "title:str spans:Span[]",
  dropped: "count:count what:str why:str",
  names: "scope:str tensors:int{} texts:str{} gone:str[]",
  output: "text:str",
  about: "type:str text:str inputs:str[] outputs:str[] rule:str takes:str[]",
  beside: "log:str stops:count[][] first:count[] words:str[]",
  process: "process:int role:=trainer|server title:str",
  message: "process:int step:count what:=send|recv|barrier|all_reduce|broadcast|serve|update|save|restart peer:str name:str bytes:count start:float duration:float",
};
