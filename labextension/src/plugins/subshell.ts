// Before its subshell is there a comm's messages go to the main shell, behind the cells that wait.
import type { Kernel } from '@jupyterlab/services';

const SUBSHELL_MS = 3000;

/** Resolves when the subshell of a comm is there, or has taken too long. */
export async function subshellOf(
  kernel: Kernel.IKernelConnection,
  comm: Kernel.IComm
): Promise<void> {
  const { subshellStarted } = comm as { subshellStarted?: Promise<void> };
  if (kernel.supportsSubshells && subshellStarted) {
    const late = new Promise<void>(resolve => setTimeout(resolve, SUBSHELL_MS));
    await Promise.race([subshellStarted.catch(() => undefined), late]);
  }
}
