// A picture as a PNG file, whole.
import { Camera } from './camera';
import { offer } from './file';
import { percent } from './heat';
import { paintGraph, type Scene } from './paint_graph';
import type { Theme } from './theme';

/** Pixels that every browser's canvas has, across and in all. */
const LONGEST = 16_000;
const MOST = 60e6;
const SHARP = 2;

/** Offers a file of the whole picture; a very large one is drawn smaller, and the answer says so. */
export function saveImage(scene: Scene, theme: Theme, name: string): string {
  const { width, height } = scene.drawn;
  const scale = Math.min(
    SHARP,
    LONGEST / Math.max(width, height),
    Math.sqrt(MOST / (width * height))
  );
  const canvas = document.createElement('canvas');
  canvas.width = Math.min(LONGEST, Math.ceil(width * scale));
  canvas.height = Math.min(LONGEST, Math.ceil(height * scale));
  const context = canvas.getContext('2d');
  if (!context) {
    return '';
  }
  const camera = new Camera();
  camera.scale = scale;
  paintGraph(context, scene, camera, theme, canvas);
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = theme.background;
  context.fillRect(0, 0, canvas.width, canvas.height);
  canvas.toBlob(blob => {
    if (blob) {
      offer(blob, `${name}.png`);
    }
  });
  const size = `${canvas.width.toLocaleString('en')} × ${canvas.height.toLocaleString('en')} pixels`;
  return scale < SHARP
    ? `The file has ${size}, ${percent(scale / SHARP)} of the usual size: the picture is large.`
    : '';
}
