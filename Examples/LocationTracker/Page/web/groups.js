// Groups of pins: at each zoom, pins that would be closer to each other than a finger can tell share one.
import { map } from './map.js';

var SPACING = 34;          // the minimum distance of two pins in pixels

// The groups of items, { at, items }, at a zoom. A group is at its first item; earlier items take precedence.
export function grouped(list, zoom) {
  var cells = new Map(), groups = [];
  list.forEach(function (item) {
    var p = map.project([item.at[1], item.at[0]], zoom);
    var group = nearest(cells, p);
    if (group) { group.items.push(item); return; }
    group = { at: item.at, p: p, items: [item] };
    groups.push(group);
    var cell = cellAt(Math.floor(p.x / SPACING), Math.floor(p.y / SPACING));
    if (!cells.has(cell)) cells.set(cell, []);
    cells.get(cell).push(group);
  });
  return groups;
}

function cellAt(column, row) { return column + ',' + row; }

// The nearest group within the minimum distance of a pixel.
function nearest(cells, p) {
  var best = null, distance = SPACING;
  for (var column = -1; column <= 1; column++) {
    for (var row = -1; row <= 1; row++) {
      (cells.get(cellAt(Math.floor(p.x / SPACING) + column, Math.floor(p.y / SPACING) + row)) || []).forEach(function (group) {
        var d = group.p.distanceTo(p);
        if (d < distance) { best = group; distance = d; }
      });
    }
  }
  return best;
}
