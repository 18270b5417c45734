// Where a layout is computed: small ones in the page at once, large ones in a worker.
import { coarse } from './coarse';
import { layOut } from './nested';
import type { Layout, LayoutTask } from './task';
import type { WorkerAnswer, WorkerRequest } from './worker';

const AT_ONCE = 1_500; // boxes and edges up to which the page does not wait noticeably
const IN_PAGE = 5_000; // boxes up to which the page may do what a worker cannot
const TIME_OUT = 8_000; // ms

/** Why a promise of {@link LayoutRunner.run} was rejected: nobody wants that layout any more. */
export class Superseded extends Error {
  constructor() {
    super('A newer layout has been asked for, or the view is gone.');
    this.name = 'Superseded';
  }
}

interface Job {
  id: number;
  task: LayoutTask;
  resolve(layout: Layout): void;
  reject(error: unknown): void;
}

/**
 * Runs the layouts of one view; every view has its own. `workerSource` is the text of the bundled
 * `worker.ts`; null where there are no workers.
 */
export class LayoutRunner {
  private worker: Worker | null = null;
  private url: string | null = null;
  private running: Job | null = null;
  private waiting: Job | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private count = 0;
  private gone = false;

  constructor(
    private workerSource: string | null,
    private readonly timeOut = TIME_OUT
  ) {}

  /**
   * The layout of `task`. A run that has begun goes on; one that still waits for it is superseded
   * by this one, and its promise rejected with {@link Superseded}. A layout that takes longer than
   * the time-out, or is too large for a page without workers, is the coarse one.
   */
  run(task: LayoutTask): Layout | Promise<Layout> {
    this.waiting?.reject(new Superseded());
    this.waiting = null;
    if (task.boxes.length + task.edges.length <= AT_ONCE) {
      return layOut(task);
    }
    if (this.workerSource === null || this.gone) {
      return inPage(task);
    }
    return new Promise((resolve, reject) => {
      this.waiting = { id: ++this.count, task, resolve, reject };
      this.next();
    });
  }

  /** Ends the worker. Promises still open are rejected with {@link Superseded}. */
  dispose(): void {
    this.gone = true;
    this.stop();
    this.running?.reject(new Superseded());
    this.waiting?.reject(new Superseded());
    this.running = this.waiting = null;
  }

  private next(): void {
    if (this.running !== null || this.waiting === null) {
      return;
    }
    const job = this.waiting;
    this.running = job;
    this.waiting = null;
    try {
      this.worker ??= this.start();
      this.timer = setTimeout(() => this.late(job), this.timeOut);
      const request: WorkerRequest = { id: job.id, task: job.task };
      this.worker.postMessage(request);
    } catch {
      this.fail();
    }
  }

  private start(): Worker {
    if (this.workerSource === null) {
      throw new Error('A worker needs its source text.');
    }
    this.url ??= URL.createObjectURL(new Blob([this.workerSource], { type: 'text/javascript' }));
    const worker = new Worker(this.url);
    worker.onmessage = ({ data }: { data: WorkerAnswer }) => this.answer(data);
    worker.onerror = event => {
      event.preventDefault();
      if (this.worker === worker) {
        this.fail();
      }
    };
    return worker;
  }

  private answer(data: WorkerAnswer): void {
    if (this.running?.id !== data.id) {
      return;
    }
    const { task } = this.running;
    this.finish(() => ('layout' in data ? data.layout : inPage(task)));
  }

  private late(job: Job): void {
    this.stop();
    this.finish(() => coarse(job.task));
  }

  /** No worker can be made (a content security policy) or it broke: from now on in the page. */
  private fail(): void {
    this.stop();
    this.workerSource = null;
    for (const job of [this.running, this.waiting]) {
      if (job !== null) {
        settle(job, () => inPage(job.task));
      }
    }
    this.running = this.waiting = null;
  }

  private finish(layout: () => Layout): void {
    clearTimeout(this.timer);
    const job = this.running;
    this.running = null;
    if (job !== null) {
      settle(job, layout);
    }
    this.next();
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.worker?.terminate();
    this.worker = null;
    if (this.url !== null) {
      URL.revokeObjectURL(this.url);
      this.url = null;
    }
  }
}

function settle(job: Job, layout: () => Layout): void {
  try {
    job.resolve(layout());
  } catch (error) {
    job.reject(error);
  }
}

function inPage(task: LayoutTask): Layout {
  return task.boxes.length > IN_PAGE ? coarse(task) : layOut(task);
}
