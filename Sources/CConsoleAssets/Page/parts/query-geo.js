// Queries by position: a box, a circle or any geometry, in words and numbers.
import { ask, documentPath, path, swiftDatabase, withQuery } from '../api.js';
import { actionButton, count, emptyState, errorState, field, h, loadingState, toast } from '../view.js';
import { texts } from '../texts.js';
import { askTimed } from './bounded-read.js';
import { cell, documentLink, jsonPart, numberInput, runForm, runs } from './query-results.js';
import { indexChoice, indexes } from './query-text.js';
import { mayAdminister } from './rights.js';
import { sameElsewhere } from './same.js';
import { swiftText } from './swift-literal.js';
import { pagedTable } from './table.js';

const LIMIT_MAX = 200;
const LIMIT_DEFAULT = 25;
const GEOMETRY_LENGTH_MAX = 60_000;
const t = texts.queries;

export async function make(database, signal) {
  const list = await indexes(database, 'geo', 'st_indexes', signal);
  if (!list.length) return empty(database, await mayAdminister(database, signal));
  const parts = controls(list), output = h('div', { class: 'query-output' });
  const context = { database, signal, parts, list, output, runs: runs(signal) };
  const map = h('a', null, t.onMap);
  const point = () => { map.href = mapAddress(database, list[parts.index.value]); };
  parts.index.addEventListener('change', point);
  point();
  return [runForm({ 'aria-label': t.kinds.geo }, () => run(context),
    h('div', { class: 'form-grid' }, field(t.index, parts.index), field(t.relation, parts.relation), field(t.limit, parts.limit, t.limitNote)),
    h('fieldset', { class: 'choice' }, h('legend', null, t.area),
      h('div', { class: 'checks' }, Object.entries(parts.shapes).map(([name, radio]) => h('label', { class: 'check' }, radio, t.areas[name]))),
      Object.values(parts.areas)),
    h('label', { class: 'check' }, parts.nearest, t.nearest),
    h('div', { class: 'buttons' }, h('button', { class: 'primary' }, t.run), map)), output];
}

function empty(database, mayIndex) {
  if (!mayIndex) return emptyState(t.noGeoIndex);
  const geometry = h('input', { value: 'geometry', autocomplete: 'off', spellcheck: 'false' });
  return [emptyState(t.noGeoIndex), h('div', { class: 'form narrow' }, field(t.geometryField, geometry), h('div', { class: 'buttons' },
    actionButton(t.makeGeoIndex, async () => {
      await ask('POST', path(database, '_index'), { type: 'geo', ddoc: 'places', name: 'places', index: { geometry: geometry.value.trim() } });
      toast(t.indexMade);
      dispatchEvent(new HashChangeEvent('hashchange'));
    }, { class: 'primary' })))];
}

function controls(list) {
  const degree = (value, max) => h('input', { type: 'number', value, min: -max, max, step: 'any', inputmode: 'decimal' });
  const numbers = {
    west: degree(-10, 180), south: degree(35, 90), east: degree(30, 180), north: degree(60, 90),
    latitude: degree(50, 90), longitude: degree(14, 180), radius: h('input', { type: 'number', value: 100000, min: 0, step: 'any', inputmode: 'decimal' }),
  };
  const wkt = h('textarea', { rows: 3, spellcheck: 'false', maxlength: GEOMETRY_LENGTH_MAX, value: 'POLYGON((14 49, 15 49, 15 51, 14 51, 14 49))' });
  const group = names => h('div', { class: 'form-grid tight' }, names.map(name => field(t[name], numbers[name])));
  const areas = { box: group(['west', 'south', 'east', 'north']), circle: group(['latitude', 'longitude', 'radius']), wkt: field(t.wkt, wkt, t.wktNote) };
  const shapes = Object.fromEntries(Object.keys(areas).map(name =>
    [name, h('input', { type: 'radio', name: 'area', value: name, checked: name === 'box' })]));
  const update = () => { for (const name of Object.keys(areas)) areas[name].hidden = !shapes[name].checked; };
  for (const radio of Object.values(shapes)) radio.addEventListener('change', update);
  update();
  return {
    index: indexChoice(list), numbers, wkt, areas, shapes,
    relation: h('select', null, t.relations.map(([value, words]) => h('option', { value }, words))),
    nearest: h('input', { type: 'checkbox' }), limit: numberInput(LIMIT_DEFAULT, 1, LIMIT_MAX),
  };
}

function mapAddress(database, index) {
  return `/_map#${documentPath(database, index.design, '_geo', index.name)}`;
}

const shapeOf = parts => Object.keys(parts.shapes).find(name => parts.shapes[name].checked);

function area(parts) {
  const n = Object.fromEntries(Object.entries(parts.numbers).map(([name, input]) => [name, Number(input.value)]));
  if (shapeOf(parts) === 'wkt') return { g: parts.wkt.value.trim() };
  if (shapeOf(parts) === 'circle') return { lat: n.latitude, lon: n.longitude, radius: n.radius };
  return { bbox: [n.west, n.south, n.east, n.north].join(','), wrap: n.west > n.east || undefined };
}

async function run({ database, parts, list, output, runs: all }) {
  const signal = all.next(), index = list[parts.index.value], base = documentPath(database, index.design, '_geo', index.name);
  const query = {
    ...area(parts), relation: parts.relation.value || undefined, nearest: parts.nearest.checked || undefined, include_docs: true, include_distance: true,
    limit: Math.min(Math.max(Math.round(Number(parts.limit.value)) || LIMIT_DEFAULT, 1), LIMIT_MAX),
  };
  const summary = h('div', { role: 'status', class: 'query-summary' }), json = jsonPart();
  const read = async bookmark => {
    const { answer, milliseconds } = await askTimed('GET', withQuery(base, { ...query, bookmark: bookmark ?? undefined }), undefined, { signal });
    json.set(answer);
    summary.replaceChildren(h('p', { class: 'note' }, t.summary(count(answer.rows.length), count(milliseconds))));
    return { rows: answer.rows, next: answer.rows.length === query.limit ? answer.bookmark : null };
  };
  output.replaceChildren(loadingState());
  try {
    const table = await pagedTable([
      { title: t.place, cell: row => cell(row.doc?.properties?.name ?? row.doc?.name ?? row.doc?.properties?.NAME ?? '') },
      { title: t.id, cell: row => documentLink(database, row.id) },
      { title: t.distance, isNumber: true, cell: row => (row.distance / 1000).toFixed(2) },
      { title: t.geometry, cell: row => h('span', { class: 'mono' }, cell(geometryText(row.geometry))) },
    ], read, { caption: t.results, empty: t.noResults });
    if (!signal.aborted) output.replaceChildren(summary, table, json.element, elsewhere(database, base, query, index, parts));
  } catch (error) {
    if (error.name !== 'AbortError' && !signal.aborted) output.replaceChildren(errorState(error));
  }
}

function geometryText(geometry) {
  if (geometry?.type === 'Point') return `Point ${geometry.coordinates.slice(0, 2).map(number => number.toFixed(5)).join(' ')}`;
  return geometry ? `${geometry.type} ${JSON.stringify(geometry.coordinates ?? geometry.geometries)}` : '';
}

function elsewhere(database, base, query, index, parts) {
  // A box across the antimeridian has no single polygon.
  const swift = query.wrap ? undefined : () => swiftCode(database, query, index, shapeOf(parts));
  return sameElsewhere([{ address: withQuery(base, query) }], swift);
}

function swiftCode(database, query, index, shape) {
  const polygon = () => {
    const [west, south, east, north] = query.bbox.split(',');
    return `POLYGON((${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}, ${west} ${south}))`;
  };
  const place = shape === 'circle'
    ? `.circle(center: Position(longitude: ${query.lon}, latitude: ${query.lat}), radius: ${query.radius})`
    : `.geometry(try Geometry(wellKnownText: ${swiftText(shape === 'box' ? polygon() : query.g)}))`;
  const relation = query.relation || (shape === 'box' ? 'none' : '');
  const options = [
    relation && `relation: .${relation.replace(/_(.)/g, (_, letter) => letter.toUpperCase())}`, query.nearest && 'nearest: true',
  ].filter(Boolean).map(option => `, ${option}`).join('');
  return [
    'import Godwit', 'import GodwitPlaces', '', swiftDatabase(database),
    `var query = try GeoQuery(${place}${options})`, `query.limit = ${query.limit}`,
    `let page = try await database.places(query, index: ${swiftText(`${index.design.slice('_design/'.length)}/${index.name}`)})`,
    'for hit in page.hits { print(hit.document.id ?? "", hit.metres) }',
  ].join('\n');
}
