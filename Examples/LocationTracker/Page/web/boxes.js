// Boxes and lines in pixels: [left, top, right, bottom] and [x1, y1, x2, y2].

export function union(a, b) { return [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])]; }
export function overlap(a, b) { return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]; }

export function meets(a, b) {
  function side(p, q, r) { return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]); }
  var p = [a[0], a[1]], q = [a[2], a[3]], r = [b[0], b[1]], s = [b[2], b[3]];
  return side(p, q, r) * side(p, q, s) < 0 && side(r, s, p) * side(r, s, q) < 0;
}

export function crosses(line, box) {
  if (overlap([Math.min(line[0], line[2]), Math.min(line[1], line[3]), Math.max(line[0], line[2]) + 0.01, Math.max(line[1], line[3]) + 0.01], box) === false) return false;
  function within(x, y) { return x > box[0] && x < box[2] && y > box[1] && y < box[3]; }
  return within(line[0], line[1]) || within(line[2], line[3]) ||
    meets(line, [box[0], box[1], box[2], box[3]]) || meets(line, [box[0], box[3], box[2], box[1]]);
}
