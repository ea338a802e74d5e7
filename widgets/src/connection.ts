/** Fills an event log from a kernel that may be busy, slow, restarted or gone. */

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
  do: "here" | "step" | "continue" | "stop";
}

/** What is done with what comes. */
export interface Receiver {
  changed(): void;
  broken(why: string): void;
  /** The kernel waits before a line; without one, it goes on by itself. */
  waits(line: number | undefined): void;
}

const ASK_AGAIN = 1000;
const MOST_ASKS = 8;

export class Connection {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = "";
  private asks = 0;

  constructor(
    private readonly model: Model,
    private readonly log: EventLog,
    private readonly receiver: Receiver,
  ) {}

  open(): void {
    this.model.on("msg:custom", this.receive);
    this.model.on("change:snapshot", this.readSnapshot);
    this.model.on("change:head", this.readHead);
    this.readHead();
    void this.readSnapshot();
    this.model.send({ type: "ready", next: this.log.next });
  }

  close(): void {
    clearTimeout(this.timer);
    this.model.off("msg:custom", this.receive);
    this.model.off("change:snapshot", this.readSnapshot);
    this.model.off("change:head", this.readHead);
  }

  private readonly receive = (message: unknown): void => {
    if (isQuestion(message)) return this.question(message);
    if (!isPiece(message)) return;
    this.log.accept(message.first, message.events);
    this.settle();
  };

  /** A cell that is to wait at each line asks first whether anybody is here. */
  private question({ state, line }: Question): void {
    if (state === "probe") this.model.send({ type: "step", do: "here" });
    else this.receiver.waits(state === "waiting" ? line : undefined);
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
      this.receiver.broken(error instanceof Error ? error.message : "It cannot be read.");
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
}

function isQuestion(value: unknown): value is Question {
  if (typeof value !== "object" || value === null) return false;
  const { type, state, line } = value as Partial<Question> & { type?: unknown };
  if (type !== "step") return false;
  return state === "waiting" ? Number.isInteger(line) : state !== undefined;
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
