// The worker's entry: answers { id, task } with { id, layout }, or with { id, fault }.
import { layOut } from './nested';
import type { Layout, LayoutTask } from './task';

export interface WorkerRequest {
  id: number;
  task: LayoutTask;
}

export type WorkerAnswer = { id: number; layout: Layout } | { id: number; fault: string };

/** The part of a worker's globals used here: the project is typed for pages. */
interface WorkerScope {
  onmessage: ((event: { data: WorkerRequest }) => void) | null;
  postMessage(answer: WorkerAnswer): void;
}

const scope = self as unknown as WorkerScope;

scope.onmessage = ({ data: { id, task } }) => {
  try {
    scope.postMessage({ id, layout: layOut(task) });
  } catch (error) {
    scope.postMessage({ id, fault: error instanceof Error ? error.message : String(error) });
  }
};
