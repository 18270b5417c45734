// Bundles the layout's worker to a text that the views carry: a Blob worker needs no second file.
import { build } from 'esbuild';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const src = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src');
const outfile = join(src, 'generated', 'layout_worker.ts');
const { outputFiles } = await build({
  entryPoints: [join(src, 'layout', 'worker.ts')],
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  write: false
});
const text = `// Made by scripts/layout_worker.mjs.\nexport const layoutWorker = ${JSON.stringify(outputFiles[0].text)};\n`;
mkdirSync(dirname(outfile), { recursive: true });
if (!existsSync(outfile) || readFileSync(outfile, 'utf8') !== text) {
  writeFileSync(outfile, text);
}
