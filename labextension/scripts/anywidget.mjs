// Bundles the anywidget modules, with their style sheet inside, to jupyter_hybrid/static.
import { build, transform } from 'esbuild';
import { gzipSync } from 'node:zlib';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownNames } from './own_names.mjs';

const LIMIT = 200 * 1024; // saved once in a notebook that shows widgets
const here = dirname(dirname(fileURLToPath(import.meta.url)));
const outdir = join(here, '..', 'jupyter_hybrid', 'static');

const minifiedCss = {
  name: 'css-as-text',
  setup(steps) {
    steps.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), { loader: 'css', minify: true });
      return { contents: code, loader: 'text' };
    });
  }
};

mkdirSync(outdir, { recursive: true });
const src = folder => join(here, 'src', folder);
const names = ownNames([src('views')], [src('.'), src('anywidget'), src('layout')]);
const options = {
  outdir,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none'
};
await build({ ...options, entryPoints: [src('anywidget/loader.ts')] });
const { metafile } = await build({
  ...options,
  entryPoints: [src('anywidget/graph.ts')],
  mangleProps: new RegExp(`^(${names.join('|')})$`),
  plugins: [minifiedCss],
  metafile: true
});
const outfile = join(outdir, 'graph.js');
const text = readFileSync(outfile);
console.log(`${outfile}: ${text.length} bytes (${gzipSync(text).length} gzipped)`);
if (text.length > LIMIT) {
  const [output] = Object.values(metafile.outputs);
  console.error(output.inputs);
  console.error(`graph.js is ${text.length} bytes, the limit is ${LIMIT}`);
  process.exit(1);
}
