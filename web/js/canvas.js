// A canvas in the pixels of the screen.

/** Fits a canvas to its place on the page. */
export class Surface {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.width = 0;
    this.height = 0;
    this.scale = 1;
    this.isNew = true;
    new ResizeObserver(([entry]) => {
      this.width = entry.contentRect.width;
      this.height = entry.contentRect.height;
      this.isNew = true;
    }).observe(canvas);
  }

  /** Clears the canvas; false if it has no place yet. */
  begin() {
    const scale = Math.min(2, devicePixelRatio || 1);
    if (this.isNew || scale !== this.scale) {
      this.scale = scale;
      this.canvas.width = Math.max(1, Math.round(this.width * scale));
      this.canvas.height = Math.max(1, Math.round(this.height * scale));
      this.isNew = false;
    }
    if (this.width < 10 || this.height < 10) return false;
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
    return true;
  }
}

const FONT = 'system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';

/** A font of that size in pixels. */
export const font = (pixels, weight = 600) => `${weight} ${pixels}px ${FONT}`;

/** Text with an outline, so that it can be read on any ground. */
export function outlined(context, text, x, y, colour, halo, width = 3) {
  context.lineJoin = "round";
  context.lineWidth = width;
  context.strokeStyle = halo;
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
}
