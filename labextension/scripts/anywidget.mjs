// Bundles the anywidget modules, with their style sheet inside, to jupyter_hybrid/static.
import { build, transform } from 'esbuild';
import { gzipSync } from 'node:zlib';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownNames } from './own_names.mjs';

const LIMIT = 70 * 1024; // the module is saved inside every notebook that shows a widget
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
const outfile = join(outdir, 'graph.js');
const src = folder => join(here, 'src', folder);
const names = ownNames([src('views')], [src('.'), src('anywidget')]);
const result = await build({
  entryPoints: [join(here, 'src', 'anywidget', 'graph.ts')],
  bundle: true,
  minify: true,
  mangleProps: new RegExp(`^(${names.join('|')})$`),
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  plugins: [minifiedCss],
  metafile: true,
  legalComments: 'none',
  outfile
});
const text = readFileSync(outfile);
console.log(`${outfile}: ${text.length} bytes (${gzipSync(text).length} gzipped)`);
if (text.length > LIMIT) {
  const [output] = Object.values(result.metafile.outputs);
  console.error(output.inputs);
  console.error(`graph.js is ${text.length} bytes, the limit is ${LIMIT}`);
  process.exit(1);
}
