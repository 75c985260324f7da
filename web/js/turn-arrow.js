// The sign of a turn.

/** An arrow that comes from below and turns by that angle. */
export function turnArrow(context, x, y, size, angle) {
  const direction = angle * Math.PI / 180;
  const end = { x: x + Math.sin(direction) * size, y: y - Math.cos(direction) * size };
  context.beginPath();
  context.moveTo(x, y + size);
  context.lineTo(x, y);
  context.lineTo(end.x, end.y);
  context.stroke();
  const head = size * 0.55;
  for (const side of [-1, 1]) {
    const wing = direction + Math.PI + side * 0.6;
    context.beginPath();
    context.moveTo(end.x, end.y);
    context.lineTo(end.x + Math.sin(wing) * head, end.y - Math.cos(wing) * head);
    context.stroke();
  }
}
