// Data that came compressed: `gzip` in place of most of it.
import { object, or, string } from './decode';

const packed = object({ gzip: or(string, '') });

/** The text behind `gzip`; '' where the data came as it is. */
export function gzipped(data: unknown): string {
  return data !== null && typeof data === 'object' ? packed(data, 'spec').gzip : '';
}

/** What was compressed: base64 of gzip of JSON. */
export async function unpacked(text: string): Promise<unknown> {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).json();
}
