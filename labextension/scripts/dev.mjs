// Serves the page of dev/ on this machine, rebuilt at every load; `--out DIR` writes it instead.
import { build, context } from 'esbuild';
import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dev');
const out = process.argv.indexOf('--out');
const options = {
  entryPoints: [join(here, 'main.ts'), join(here, 'main.css')],
  bundle: true,
  format: 'esm',
  sourcemap: 'inline',
  outdir: out < 0 ? here : process.argv[out + 1]
};
if (out < 0) {
  const served = await context({ ...options, write: false });
  const { port } = await served.serve({ host: '127.0.0.1', servedir: here });
  console.log(`http://127.0.0.1:${port}/`);
} else {
  await build(options);
  copyFileSync(join(here, 'index.html'), join(options.outdir, 'index.html'));
}
