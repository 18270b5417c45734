// The pointer and the keys over the timeline: drags, with Shift too, the wheel, clicks, W A S D.

export interface PlotEvents {
  /** the picture was dragged by so many pixels */
  drag: (dx: number) => void;
  /** does a drag select time? */
  selects: (event: PointerEvent) => boolean;
  /** time was dragged over, between these pixels; null: such a drag went nowhere */
  select: (pixels: { from: number; to: number } | null) => void;
  /** shows `factor` times as much time; the pixel at `x` stays, where it is null the middle */
  zoom: (factor: number, x: number | null) => void;
  /** moves by so many widths of the picture */
  step: (widths: number) => void;
  /** a person wants to find something, or nothing chosen any more */
  search: () => void;
  leave: () => void;
  /** the pointer is at this place; null: it left, or a drag began */
  hover: (at: { x: number; y: number } | null) => void;
  click: (at: { x: number; y: number }) => void;
}

const DRAG_THRESHOLD = 4;

interface Drag {
  /** the pixel where it began, and the last one */
  from: number;
  x: number;
  moved: boolean;
  selects: boolean;
}

export function watchPlot(plot: HTMLElement, events: PlotEvents): void {
  let drag: Drag | null = null;
  const place = (event: MouseEvent) => {
    const bounds = plot.getBoundingClientRect();
    return { x: event.clientX - bounds.left, y: event.clientY - bounds.top };
  };
  plot.addEventListener('keydown', event => watchKey(event, events));
  plot.addEventListener(
    'wheel',
    event => {
      event.preventDefault();
      const delta = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
      events.zoom(Math.exp(delta * 0.002), place(event).x);
    },
    { passive: false }
  );
  plot.addEventListener('pointerdown', event => {
    const { x } = place(event);
    drag = event.button === 0 ? { from: x, x, moved: false, selects: events.selects(event) } : null;
    plot.focus({ preventScroll: true });
  });
  plot.addEventListener('pointermove', event => {
    if (event.buttons % 2 === 0) {
      drag = null; // it was let go of outside
    }
    if (!drag) {
      events.hover(place(event));
      return;
    }
    const { x } = place(event);
    const { from, selects } = drag;
    const dx = x - drag.x;
    if (drag.moved || Math.abs(dx) > DRAG_THRESHOLD) {
      if (!drag.moved) {
        plot.setPointerCapture(event.pointerId);
        events.hover(null);
      }
      drag = { from, x, moved: true, selects };
      if (selects) {
        events.select({ from, to: x });
      } else {
        events.drag(dx);
      }
    }
  });
  plot.addEventListener('pointerup', event => {
    const clicked = drag && !drag.moved;
    const selects = drag?.selects;
    drag = null;
    if (clicked && selects) {
      events.select(null);
    } else if (clicked) {
      events.click(place(event));
    }
  });
  plot.addEventListener('pointerleave', () => events.hover(null));
}

// W and S zoom, A and D move, as in other viewers of traces.
function watchKey(event: KeyboardEvent, events: PlotEvents): void {
  const key = event.key.toLowerCase();
  if (key === '/' || key === 'escape') {
    event.preventDefault();
    return key === 'escape' ? events.leave() : events.search();
  }
  const step = { a: -0.2, d: 0.2 }[key];
  const factor = { w: 1 / 1.5, s: 1.5 }[key];
  if (event.ctrlKey || event.metaKey || event.altKey || (!step && !factor)) {
    return;
  }
  event.preventDefault();
  if (factor) {
    events.zoom(factor, null);
  } else if (step) {
    events.step(step);
  }
}
