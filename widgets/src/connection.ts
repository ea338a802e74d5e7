/** Fills an event log from a kernel that may be busy, slow, restarted or gone. */

import type { Answer } from "./draw/stepbar";
import type { EventLog, Gap } from "./log";
import { readLog } from "./validate";

/** What of anywidget's model is used here. */
export interface Model {
  get(name: string): unknown;
  on(event: string, callback: (message: unknown) => void): void;
  off(event: string, callback: (message: unknown) => void): void;
  send(message: Ready | Ask | Reply): void;
}

/** The page can draw; it knows the events below `next`. */
export interface Ready {
  type: "ready";
  next: number;
}

/** Events are missing, from `first` to `last`. */
export interface Ask extends Gap {
  type: "gap";
}

/** To a cell that waits at each line: a page is here, or what it is to do. */
export interface Reply {
  type: "step";
  do: "here" | Answer;
  /** Which question is answered. */
  turn?: number;
}

/** What is done with what comes. */
export interface Receiver {
  changed(): void;
  broken(why: string): void;
  /** The kernel waits before a line; without one, it goes on by itself. */
  waits(line: number | undefined): void;
  /** Nothing is heard of the kernel any more. */
  lost(): void;
}

/** A kernel that waits puts its question again each second. */
const SILENCE = 4000;
const ASK_AGAIN = 1000;
const MOST_ASKS = 8;
/** What Jupyter's models say when a kernel restarts, or its connection breaks. */
const LIVE = "comm_live_update";

export class Connection {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = "";
  private asks = 0;
  private turn = 0;
  private silence: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly model: Model,
    private readonly log: EventLog,
    private readonly receiver: Receiver,
  ) {}

  open(): void {
    this.model.on("msg:custom", this.receive);
    this.model.on("change:snapshot", this.readSnapshot);
    this.model.on("change:head", this.readHead);
    this.model.on(LIVE, this.cut);
    this.readHead();
    void this.readSnapshot();
    this.model.send({ type: "ready", next: this.log.next });
  }

  close(): void {
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    this.model.off("msg:custom", this.receive);
    this.model.off("change:snapshot", this.readSnapshot);
    this.model.off("change:head", this.readHead);
    this.model.off(LIVE, this.cut);
  }

  /** Tell a cell that waits what it is to do. */
  answer(answer: Answer): void {
    this.model.send({ type: "step", do: answer, turn: this.turn });
  }

  /** The host has lost the kernel, or has it again; then it will be heard of. */
  private readonly cut = (): void => {
    clearTimeout(this.silence);
    this.receiver.lost();
  };

  private readonly receive = (message: unknown): void => {
    if (isQuestion(message)) return this.question(message);
    if (!isPiece(message)) return;
    this.log.accept(message.first, message.events);
    this.settle();
  };

  /** A cell that is to wait at each line asks first whether anybody is here. */
  private question({ state, line, turn }: Question): void {
    if (state === "probe") return this.model.send({ type: "step", do: "here" });
    clearTimeout(this.silence);
    const waits = state === "waiting";
    if (waits) this.silence = setTimeout(this.cut, SILENCE);
    if (turn !== undefined) this.turn = turn;
    this.receiver.waits(waits ? line : undefined);
  }

  /** The first events, as state: they outlive the time before the first draw. */
  private readonly readHead = (): void => {
    const head: unknown = this.model.get("head");
    if (!isPiece(head)) return;
    this.log.accept(head.first, head.events);
    this.settle();
  };

  /** The whole log, compressed, as the kernel leaves it when a cell ends. */
  private readonly readSnapshot = async (): Promise<void> => {
    const bytes: unknown = this.model.get("snapshot");
    if (!isBytes(bytes) || bytes.byteLength === 0) return;
    try {
      const log = readLog(await unzip(bytes));
      this.log.accept(0, log.events);
      this.settle();
    } catch (error) {
      this.receiver.broken((error as Error).message);
    }
  };

  private settle(): void {
    this.receiver.changed();
    const gaps = this.log.gaps();
    const missing = JSON.stringify(gaps);
    if (missing === this.asked) return;
    this.asked = missing;
    this.asks = 0;
    clearTimeout(this.timer);
    if (gaps.length > 0) this.ask(gaps);
  }

  /** Ask for what is missing, and again: a busy kernel may not hear it for long. */
  private ask(gaps: readonly Gap[]): void {
    for (const gap of gaps) this.model.send({ type: "gap", ...gap });
    this.asks += 1;
    if (this.asks >= MOST_ASKS) return;
    const delay = ASK_AGAIN * 2 ** (this.asks - 1);
    this.timer = setTimeout(() => this.ask(gaps), delay);
  }
}

interface Piece {
  readonly first: number;
  readonly events: readonly unknown[];
}

interface Question {
  readonly state: "probe" | "waiting" | "running";
  readonly line?: number;
  readonly turn?: number;
}

function isQuestion(value: unknown): value is Question {
  if (typeof value !== "object" || value === null) return false;
  const { type, state, line, turn } = value as Partial<Question> & { type?: unknown };
  if (type !== "step") return false;
  if (state !== "waiting") return state === "probe" || state === "running";
  return Number.isInteger(line) && Number.isInteger(turn);
}

function isPiece(value: unknown): value is Piece {
  if (typeof value !== "object" || value === null) return false;
  const { first, events } = value as Partial<Piece>;
  return Number.isInteger(first) && Number(first) >= 0 && Array.isArray(events);
}

function isBytes(value: unknown): value is ArrayBuffer | ArrayBufferView<ArrayBuffer> {
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value);
}

async function unzip(
  bytes: ArrayBuffer | ArrayBufferView<ArrayBuffer>,
): Promise<unknown> {
  const zipped = new Blob([bytes]).stream();
  const plain = zipped.pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).json();
}
