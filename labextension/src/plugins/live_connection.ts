// The live comm of one notebook: opened when its kernel has our package, and again after a restart.
import type { NotebookPanel } from '@jupyterlab/notebook';
import { KernelMessage, type Kernel } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import { LIVE_TARGET, parseLive, type LiveMessage } from '../frames';
import { KernelProcess } from './kernel_process';
import { subshellOf } from './subshell';

/** 'asking': the kernel has said nothing yet; 'waiting': it has not loaded our package */
export type LiveState = 'no kernel' | 'asking' | 'waiting' | 'connected' | 'lost';

/** Code that may bring our package into the kernel; other notebooks are never asked. */
const OURS = /jupyter_hybrid|%%?hybrid|%%imperative|%engine/;
/** The kernel stops sending to a page that says nothing for long: it may have crashed. */
const ALIVE_MS = 30_000;
/** A running cell may have loaded the package already: kernels with subshells answer meanwhile. */
const EARLY_MS = [400, 1500, 4000];

export class LiveConnection {
  readonly messages = new Signal<this, LiveMessage>(this);
  readonly stateChanged = new Signal<this, LiveState>(this);
  readonly watchedChanged = new Signal<this, boolean>(this);
  state: LiveState = 'no kernel';
  fault: string | null = null;
  private kernel: Kernel.IKernelConnection | null = null;
  private process = new KernelProcess();
  private comm: Kernel.IComm | null = null;
  private interested = false;
  private early: ReturnType<typeof setTimeout>[] = [];
  /** a cell runs: the kernel knows that a page is there, and any message would show it as idle */
  private busy = false;
  /** somebody sees the timeline: the kernel sends what it records */
  private watched = false;
  private told = 0;
  private readonly alive = setInterval(() => !this.busy && this.send({ type: 'alive' }), ALIVE_MS);

  constructor(readonly panel: NotebookPanel) {
    const { sessionContext } = panel;
    sessionContext.kernelChanged.connect(() => this.attach());
    // The notebook's content goes first, when its kernel can still be told.
    panel.content.disposed.connect(() => this.dispose());
    // A page that goes away must not leave the kernel sending to nobody.
    window.addEventListener('pagehide', this.leave);
    void panel.context.ready.then(() => {
      this.interested ||= mentionsUs(panel);
      this.attach();
    });
  }

  /** Whether the notebook or what ran in it names our package, or a person asked for it. */
  get concerned(): boolean {
    return this.interested;
  }

  /** Tries to connect even if the notebook does not name the package: a person opened the panel. */
  wish(): void {
    if (!this.interested) {
      this.interested = true;
      this.open();
    }
  }

  /** Whether the timeline is shown. */
  watch(on: boolean): void {
    if (on !== this.watched) {
      this.watched = on;
      this.send(this.watching());
      this.watchedChanged.emit(on);
    }
  }

  /** Numbered: the kernel may hear a message of its main shell after a later one of our subshell. */
  private watching() {
    return { type: 'watch', on: this.watched, number: ++this.told };
  }

  send(message: { type: string; [key: string]: unknown }): void {
    if (this.comm && !this.comm.isDisposed && this.state === 'connected') {
      this.comm.send(message as never);
    }
  }

  dispose(): void {
    window.removeEventListener('pagehide', this.leave);
    clearInterval(this.alive);
    this.leave();
    this.detach();
    Signal.clearData(this);
  }

  private readonly leave = () => {
    const { comm, kernel } = this;
    if (!comm || comm.isDisposed || !kernel || kernel.isDisposed) {
      return;
    }
    this.comm = null;
    if (this.busy) {
      comm.close();
      return;
    }
    // Not comm.close(): it deletes the comm's subshell, at times before that has heard of the close.
    kernel.sendShellMessage(
      KernelMessage.createMessage({
        msgType: 'comm_close',
        channel: 'shell',
        username: kernel.username,
        session: kernel.clientId,
        content: { comm_id: comm.commId, data: {} }
      })
    );
    comm.dispose();
  };

  private attach(): void {
    this.detach();
    const kernel = this.panel.sessionContext.session?.kernel ?? null;
    this.kernel = kernel;
    this.process = new KernelProcess();
    if (!kernel) {
      this.setState('no kernel');
      return;
    }
    kernel.statusChanged.connect(this.onStatus, this);
    kernel.iopubMessage.connect(this.onIOPub, this);
    this.setState(hasAnswered(kernel.status) ? 'waiting' : 'asking');
    this.open();
  }

  private detach(): void {
    this.early.forEach(clearTimeout);
    this.early = [];
    this.kernel?.statusChanged.disconnect(this.onStatus, this);
    this.kernel?.iopubMessage.disconnect(this.onIOPub, this);
    this.kernel = null;
    this.drop();
  }

  private drop(): void {
    const comm = this.comm;
    this.comm = null;
    if (comm && !comm.isDisposed) {
      comm.onClose = () => undefined;
      comm.dispose();
    }
  }

  private open(): void {
    const { kernel } = this;
    if (!kernel || this.comm || !this.interested || kernel.isDisposed || !kernel.handleComms) {
      return;
    }
    const comm = kernel.createComm(LIVE_TARGET);
    this.comm = comm;
    comm.onMsg = message => {
      if (this.comm === comm) {
        this.receive(message);
      }
    };
    // A kernel without our target answers by closing.
    comm.onClose = () => {
      if (this.comm === comm) {
        this.comm = null;
        this.setState('waiting');
      }
    };
    void subshellOf(kernel, comm).then(() => {
      if (this.comm === comm && !comm.isDisposed) {
        comm.open({});
        comm.send({ type: 'hello' });
        comm.send(this.watching());
      }
    });
  }

  private receive(message: KernelMessage.ICommMsgMsg): void {
    let parsed: LiveMessage;
    try {
      parsed = parseLive(message.content.data, message.buffers);
    } catch (error) {
      this.fault = error instanceof Error ? error.message : String(error);
      this.setState('lost');
      return;
    }
    if (this.state !== 'connected') {
      this.setState('connected');
      this.send(this.watching()); // it may have changed since the comm was opened
    }
    this.messages.emit(parsed);
  }

  private onStatus(_: unknown, status: Kernel.Status): void {
    this.busy &&= status === 'busy' || status === 'idle';
    if (this.state === 'asking' && hasAnswered(status)) {
      this.setState('waiting');
    }
    if (status === 'restarting' || status === 'autorestarting' || status === 'dead') {
      this.drop();
      this.setState(status === 'dead' ? 'no kernel' : 'waiting');
    }
  }

  private onIOPub(_: unknown, message: KernelMessage.IIOPubMessage): void {
    const type = message.header.msg_type;
    if (type === 'execute_input') {
      const { code } = message.content as KernelMessage.IExecuteInputMsg['content'];
      this.interested ||= OURS.test(code);
      if (!this.comm && this.interested && this.kernel?.supportsSubshells) {
        this.early.forEach(clearTimeout);
        this.early = EARLY_MS.map(wait => setTimeout(() => this.open(), wait));
      }
    } else if (type === 'status') {
      const told = message as KernelMessage.IStatusMsg;
      const parent = message.parent_header as Partial<KernelMessage.IHeader>;
      const { execution_state } = told.content;
      if (this.process.isAnother(told)) {
        this.replaced();
      }
      if (parent.msg_type === 'execute_request') {
        this.busy = execution_state === 'busy';
      }
      if (execution_state === 'idle' && parent.msg_type === 'execute_request') {
        this.early.forEach(clearTimeout);
        this.open();
      }
    }
  }

  /** The kernel was restarted, perhaps from another page. */
  private replaced(): void {
    this.busy = false;
    this.drop();
    this.setState('waiting');
    // Later: JupyterLab forgets the old subshell when the last comm on it is gone, from all notebooks.
    this.early.forEach(clearTimeout);
    this.early = [setTimeout(() => this.open(), EARLY_MS[0])];
  }

  private setState(state: LiveState): void {
    if (state !== this.state) {
      this.state = state;
      this.stateChanged.emit(state);
    }
  }
}

// A kernel that was busy when the page came says nothing before its cell has ended.
function hasAnswered(status: Kernel.Status): boolean {
  return status !== 'unknown' && status !== 'starting';
}

function mentionsUs(panel: NotebookPanel): boolean {
  const cells = panel.content.model?.sharedModel.cells ?? [];
  return cells.some(cell => cell.cell_type === 'code' && OURS.test(cell.getSource()));
}
