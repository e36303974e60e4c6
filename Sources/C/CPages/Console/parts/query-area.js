// The area of a geospatial query: fields in words and numbers, which a drawing on the map fills.
import { field, h } from '../view.js';
import { texts } from '../texts.js';
import { readText } from './map-geometry.js';

const GEOMETRY_LENGTH_MAX = 60_000;
/** The digits of a drawn position, about ten centimetres. */
const DIGITS = 6;
const BOX = ['west', 'south', 'east', 'north'], CIRCLE = ['latitude', 'longitude', 'radius'];
const t = texts.queries;

/**
 * The fields of an area.
 *
 * Returns `{ element, kind(), parameters(), shape(), take(shape) }`: the parameters of `_geo`; the shape for a map, `null` if
 * the fields have none; and `take` fills the fields with a drawn shape. `changed(isReady)` is called when a field has changed,
 * with `true` when the user has left it.
 */
export function areaFields(changed) {
  const degree = (value, max) => h('input', { type: 'number', value, min: -max, max, step: 'any', inputmode: 'decimal', required: true });
  const numbers = {
    west: degree(-10, 180), south: degree(35, 90), east: degree(30, 180), north: degree(60, 90),
    latitude: degree(50, 90), longitude: degree(14, 180), radius: h('input', { type: 'number', value: 100000, min: 0, step: 'any', inputmode: 'decimal', required: true }),
  };
  const wkt = h('textarea', { rows: 3, spellcheck: 'false', maxlength: GEOMETRY_LENGTH_MAX, required: true, value: 'POLYGON((14 49, 15 49, 15 51, 14 51, 14 49))' });
  const group = names => h('div', { class: 'form-grid tight' }, names.map(name => field(t[name], numbers[name])));
  const areas = { box: group(BOX), circle: group(CIRCLE), wkt: field(t.wkt, wkt, t.wktNote) };
  const radios = Object.fromEntries(Object.keys(areas).map(name =>
    [name, h('input', { type: 'radio', name: 'area', value: name, checked: name === 'box' })]));
  const kind = () => Object.keys(radios).find(name => radios[name].checked);
  const update = () => {
    for (const name of Object.keys(areas)) {
      areas[name].hidden = name !== kind();
      // Only the fields that are shown are checked.
      for (const input of areas[name].querySelectorAll('input, textarea')) input.disabled = name !== kind();
    }
  };
  const fields = { numbers, wkt, kind };
  const element = h('fieldset', { class: 'choice' }, h('legend', null, t.area),
    h('div', { class: 'checks' }, Object.entries(radios).map(([name, radio]) => h('label', { class: 'check' }, radio, t.areas[name]))),
    Object.values(areas));
  element.addEventListener('input', () => { update(); changed(false); });
  element.addEventListener('change', () => changed(true));
  update();
  return {
    element, kind, parameters: () => parametersOf(fields), shape: () => shapeOf(fields),
    take(shape) {
      fill(fields, shape);
      radios[shape.type === 'polygon' ? 'wkt' : shape.type].checked = true;
      update();
    },
  };
}

const values = (numbers, names) => names.map(name => numbers[name].value === '' ? NaN : Number(numbers[name].value));

function parametersOf({ numbers, wkt, kind }) {
  if (kind() === 'wkt') return { g: wkt.value.trim() };
  if (kind() === 'circle') {
    const [lat, lon, radius] = values(numbers, CIRCLE);
    return { lat, lon, radius };
  }
  const box = values(numbers, BOX);
  return { bbox: box.join(','), wrap: box[0] > box[2] || undefined };
}

function shapeOf({ numbers, wkt, kind }) {
  if (kind() === 'wkt') {
    const geometry = readText(wkt.value);
    return geometry && { type: 'geometry', geometry };
  }
  if (kind() === 'circle') {
    const [lat, lon, radius] = values(numbers, CIRCLE);
    return [lat, lon, radius].every(Number.isFinite) && radius > 0 ? { type: 'circle', lat, lon, radius } : null;
  }
  const [west, south, east, north] = values(numbers, BOX);
  return [west, south, east, north].every(Number.isFinite) ? { type: 'box', west, south, east, north } : null;
}

function fill({ numbers, wkt }, shape) {
  const rounded = value => String(Number(value.toFixed(DIGITS)));
  if (shape.type === 'box') for (const name of BOX) numbers[name].value = rounded(shape[name]);
  else if (shape.type === 'circle') {
    numbers.latitude.value = rounded(shape.lat);
    numbers.longitude.value = rounded(shape.lon);
    numbers.radius.value = Math.max(1, Math.round(shape.radius));
  } else wkt.value = `POLYGON((${[...shape.corners, shape.corners[0]].map(corner => corner.map(rounded).join(' ')).join(', ')}))`;
}
