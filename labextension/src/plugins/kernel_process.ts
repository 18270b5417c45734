// Which process of a kernel talks. A page that did not restart the kernel itself is not told: it sees
// messages of another session.
import type { KernelMessage } from '@jupyterlab/services';

/** States that the server tells, in a session of its own. */
const SERVERS = new Set<string>(['restarting', 'dead']);

export class KernelProcess {
  private session = '';

  /** Whether this is the first word of another process than the one that spoke before. */
  isAnother({ header, content }: KernelMessage.IStatusMsg): boolean {
    if (SERVERS.has(content.execution_state) || header.session === this.session) {
      return false;
    }
    const isFirst = this.session === '';
    this.session = header.session;
    return !isFirst;
  }
}
