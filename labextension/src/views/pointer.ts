// The pointer over a picture that can be panned and zoomed: drags, pinches, clicks, hovering.
import type { Camera } from './camera';

export interface PointerEvents {
  /** the camera was moved */
  moved: () => void;
  /** the pointer is at this place of the plot; null: it left, or a drag began */
  hover: (at: { x: number; y: number } | null) => void;
  /** `twice`: the second click of a double one; `add`: with a key held that adds */
  click: (at: { x: number; y: number }, how: { twice: boolean; add: boolean }) => void;
}

const DRAG_THRESHOLD = 4;

export function watchPointer(plot: HTMLElement, camera: Camera, events: PointerEvents): void {
  let drag: { x: number; y: number; far: boolean } | null = null;
  const place = (event: MouseEvent) => {
    const bounds = plot.getBoundingClientRect();
    return { x: event.clientX - bounds.left, y: event.clientY - bounds.top };
  };
  const end = () => {
    drag = null;
    plot.classList.remove('hyb-dragging');
  };
  plot.addEventListener('pointerdown', event => {
    if (event.button === 0) {
      drag = { x: event.clientX, y: event.clientY, far: false };
    }
  });
  plot.addEventListener('pointermove', event => {
    if (!drag) {
      events.hover(place(event));
      return;
    }
    const dx = event.clientX - drag.x;
    const dy = event.clientY - drag.y;
    if (!drag.far && Math.hypot(dx, dy) > DRAG_THRESHOLD) {
      drag.far = true;
      plot.setPointerCapture(event.pointerId);
      plot.classList.add('hyb-dragging');
      events.hover(null);
    }
    if (drag.far) {
      camera.pan(dx, dy);
      drag = { x: event.clientX, y: event.clientY, far: true };
      events.moved();
    }
  });
  plot.addEventListener('pointerup', event => {
    const clicked = drag && !drag.far;
    end();
    if (clicked) {
      const add = event.shiftKey || event.metaKey || event.ctrlKey;
      events.click(place(event), { twice: false, add });
    }
  });
  plot.addEventListener('pointercancel', end);
  plot.addEventListener('pointerleave', () => events.hover(null));
  plot.addEventListener('dblclick', event =>
    events.click(place(event), { twice: true, add: false })
  );
  plot.addEventListener(
    'wheel',
    event => {
      // A plain wheel belongs to the page; a pinch arrives as a wheel with ctrl.
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const { x, y } = place(event);
        camera.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0025)), x, y);
        events.moved();
      }
    },
    { passive: false }
  );
}
