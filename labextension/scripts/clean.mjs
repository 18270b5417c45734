// Removes what the build makes.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(dirname(fileURLToPath(import.meta.url)));
for (const path of [
  'lib',
  'src/generated',
  '../jupyter_hybrid/labextension',
  '../jupyter_hybrid/static'
]) {
  rmSync(join(here, path), { recursive: true, force: true });
}
