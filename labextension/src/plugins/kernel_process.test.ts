import type { KernelMessage } from '@jupyterlab/services';
import { expect, test } from 'vitest';
import { KernelProcess } from './kernel_process';

function status(session: string, execution_state: string): KernelMessage.IStatusMsg {
  return { header: { session }, content: { execution_state } } as KernelMessage.IStatusMsg;
}

test('another session is another process, once; the server speaks in its own', () => {
  const process = new KernelProcess();
  const heard = [
    status('first', 'busy'),
    status('first', 'idle'),
    status('server', 'restarting'),
    status('second', 'starting'),
    status('second', 'idle'),
    status('server', 'dead')
  ];
  const another = [false, false, false, true, false, false];
  expect(heard.map(message => process.isAnother(message))).toEqual(another);
});
