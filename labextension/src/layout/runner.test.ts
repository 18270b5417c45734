import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { layOut } from './nested';
import { flatTask } from '../testdata/random_task';
import { LayoutRunner, Superseded } from './runner';
import type { WorkerAnswer, WorkerRequest } from './worker';

/** Stands for the page's Worker; a test answers in its place. */
class FakeWorker {
  static all: FakeWorker[] = [];
  onmessage: ((event: { data: WorkerAnswer }) => void) | null = null;
  onerror: ((event: { preventDefault(): void }) => void) | null = null;
  requests: WorkerRequest[] = [];
  terminated = false;

  constructor() {
    FakeWorker.all.push(this);
  }
  postMessage(request: WorkerRequest): void {
    this.requests.push(request);
  }
  terminate(): void {
    this.terminated = true;
  }
  answer(): void {
    const { id, task } = this.requests[this.requests.length - 1];
    this.onmessage?.({ data: { id, layout: layOut(task) } });
  }
}

const small = flatTask(1, 100, 20);
const large = flatTask(2, 1200, 20);

describe('LayoutRunner', () => {
  beforeEach(() => {
    FakeWorker.all = [];
    vi.stubGlobal('Worker', FakeWorker);
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  it('runs small tasks, and all where there are no workers, in the page', () => {
    expect(new LayoutRunner('').run(small)).toEqual(layOut(small));
    expect(new LayoutRunner(null).run(large)).toEqual(layOut(large));
    expect(FakeWorker.all).toEqual([]);
  });

  it('runs large tasks one after the other in one worker', async () => {
    const runner = new LayoutRunner('');
    const first = runner.run(large);
    const second = runner.run({ ...large, direction: 'right' });
    const [worker] = FakeWorker.all;
    expect(worker.requests.length).toBe(1);
    worker.answer();
    worker.answer();
    expect(await first).toEqual(layOut(large));
    expect(await second).toEqual(layOut({ ...large, direction: 'right' }));
    expect(FakeWorker.all.length).toBe(1);
  });

  it('rejects a run that has not begun when a newer one comes', async () => {
    const runner = new LayoutRunner('');
    const first = runner.run(large);
    const second = runner.run(large) as Promise<unknown>;
    const third = runner.run(large);
    await expect(second).rejects.toBeInstanceOf(Superseded);
    FakeWorker.all[0].answer();
    FakeWorker.all[0].answer();
    expect(await first).toEqual(await third);
  });

  it('answers with a coarse layout after the time-out, and goes on with a new worker', async () => {
    const runner = new LayoutRunner('', 50);
    const first = runner.run(large);
    const second = runner.run(large);
    vi.advanceTimersByTime(51);
    expect((await first).coarse).toBe(true);
    expect(FakeWorker.all.map(worker => worker.terminated)).toEqual([true, false]);
    FakeWorker.all[1].answer();
    expect((await second).coarse).toBe(false);
  });

  it('computes in the page when no worker can be made or it breaks', async () => {
    const runner = new LayoutRunner('');
    const broken = runner.run(large);
    FakeWorker.all[0].onerror?.({ preventDefault: () => undefined });
    expect(await broken).toEqual(layOut(large));
    expect(runner.run(large)).toEqual(layOut(large));
    vi.stubGlobal('Worker', function refuse() {
      throw new Error('content security policy');
    });
    expect(await new LayoutRunner('').run(large)).toEqual(layOut(large));
    const huge = flatTask(3, 5001, 20);
    expect((await new LayoutRunner('').run(huge)).coarse).toBe(true);
  });

  it('computes in the page what the worker reports as a fault', async () => {
    const runner = new LayoutRunner('');
    const run = runner.run(large);
    const [worker] = FakeWorker.all;
    worker.onmessage?.({ data: { id: worker.requests[0].id, fault: 'out of memory' } });
    expect(await run).toEqual(layOut(large));
  });

  it('ends its worker and its promises', async () => {
    const revoke = vi.spyOn(URL, 'revokeObjectURL');
    const runner = new LayoutRunner('');
    const run = runner.run(large) as Promise<unknown>;
    runner.dispose();
    await expect(run).rejects.toBeInstanceOf(Superseded);
    expect(FakeWorker.all[0].terminated).toBe(true);
    expect(revoke).toHaveBeenCalledOnce();
  });
});

describe('worker', () => {
  it('answers a task with its layout, and what it cannot lay out with a fault', async () => {
    const answers: WorkerAnswer[] = [];
    const scope = {
      onmessage: null as ((event: { data: unknown }) => void) | null,
      postMessage: (answer: WorkerAnswer) => answers.push(answer)
    };
    vi.stubGlobal('self', scope);
    await import('./worker');
    scope.onmessage?.({ data: { id: 4, task: small } });
    scope.onmessage?.({ data: { id: 5, task: null } });
    expect(answers[0]).toEqual({ id: 4, layout: layOut(small) });
    expect(answers[1]).toEqual({ id: 5, fault: expect.any(String) });
    vi.unstubAllGlobals();
  });
});
