// Where a server has a file that a kernel knows.

/**
 * The server's path of it; null: the server does not serve it. `file`: absolute, or in the folder of
 * the notebook; both it and the `root` of the server may be written with `~`.
 */
export function served(file: string, notebook: string, root: string): string | null {
  if (!/^[/~]/.test(file)) {
    return notebook.slice(0, notebook.lastIndexOf('/') + 1) + file;
  }
  // A server writes a folder inside of the home directory with ~, but not that itself.
  const isHome = file.startsWith('~') && !root.startsWith('~');
  const folder = isHome ? '~/' : root.replace(/\/*$/, '/');
  return file.startsWith(folder) ? file.slice(folder.length) : null;
}
