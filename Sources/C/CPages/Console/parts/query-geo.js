// Queries by position: an area in words and numbers or drawn on a map, which shows the results too.
import { ask, documentPath, path, swiftDatabase, withQuery } from '../api.js';
import { actionButton, button, count, emptyState, errorState, field, h, loadingState, toast } from '../view.js';
import { texts } from '../texts.js';
import { TooLarge } from './bounded-read.js';
import { member, valueOf } from './json.js';
import './map.js';
import { choices } from './map-choices.js';
import { nameOf } from './map-features.js';
import { areaFields } from './query-area.js';
import { askNodes, itemsOf } from './query-nodes.js';
import { documentLink, jsonPart, numberInput, runForm, runs } from './query-results.js';
import { indexChoice, indexes } from './query-text.js';
import { mayAdminister } from './rights.js';
import { sameElsewhere } from './same.js';
import { swiftText } from './swift-literal.js';
import { pagedTable, ROWS_MAX } from './table.js';

const LIMIT_MAX = 200;
const LIMIT_DEFAULT = 25;
const TOOLS = ['box', 'circle', 'polygon'];
const t = texts.queries;

export async function make(database, signal, index) {
  const list = await indexes(database, 'geo', 'st_indexes', signal);
  if (!list.length) return empty(database, await mayAdminister(database, signal));
  const map = h('godwit-map', { label: t.mapOfResults }), output = h('div', { class: 'query-output' });
  const area = areaFields(isReady => {
    map.shape = area.shape();
    if (isReady) map.fit();
  });
  const parts = {
    area, index: indexChoice(list, index), relation: h('select', null, t.relations.map(([value, words]) => h('option', { value }, words))),
    nearest: h('input', { type: 'checkbox' }), limit: numberInput(LIMIT_DEFAULT, 1, LIMIT_MAX),
  };
  const context = { database, signal, parts, list, output, map, choices: choices(map), runs: runs(signal) };
  map.shape = area.shape();
  map.fit();
  return h('div', { class: 'map-beside' }, h('div', { class: 'map-side' }, tools(context), map),
    h('div', { class: 'query' }, form(context), output));
}

function form(context) {
  const { database, list, parts } = context, onMap = h('a', null, t.onMap);
  const point = () => { onMap.href = `/_map#${documentPath(database, list[parts.index.value].design, '_geo', list[parts.index.value].name)}`; };
  parts.index.addEventListener('change', point);
  point();
  const element = runForm({ 'aria-label': t.kinds.geo }, () => { if (element.reportValidity()) run(context); },
    h('div', { class: 'form-grid' }, field(t.index, parts.index), field(t.relation, parts.relation), field(t.limit, parts.limit, t.limitNote)),
    parts.area.element,
    h('label', { class: 'check' }, parts.nearest, t.nearest),
    h('div', { class: 'buttons' }, h('button', { class: 'primary' }, t.run), onMap));
  return element;
}

/** The buttons with which an area is drawn; none without a map. */
function tools(context) {
  const { map, parts } = context, element = h('div', { class: 'buttons map-tools', role: 'group', 'aria-label': t.draw, hidden: true });
  const buttons = TOOLS.map(kind => button(t.tools[kind], async () => {
    if (buttons[TOOLS.indexOf(kind)].getAttribute('aria-pressed') === 'true') return map.cancel();
    const drawn = map.draw(kind);
    press(kind);
    const shape = await drawn;
    if (!shape) { if (isPressed(kind)) press(null); return; }
    press(null);
    parts.area.take(shape);
    map.shape = parts.area.shape();
    run(context);
  }, { 'aria-pressed': 'false' }));
  const press = kind => buttons.forEach((item, i) => item.setAttribute('aria-pressed', String(TOOLS[i] === kind)));
  const isPressed = kind => buttons[TOOLS.indexOf(kind)].getAttribute('aria-pressed') === 'true';
  element.append(h('span', { class: 'note' }, t.draw), ...buttons, button(t.showAll, () => map.fit(), { class: 'quiet' }));
  map.ready.then(() => { element.hidden = false; }, () => {});
  return element;
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

// ---- Results

async function run(context) {
  const { database, parts, list, output, map } = context, signal = context.runs.next(), index = list[parts.index.value];
  const base = documentPath(database, index.design, '_geo', index.name);
  const query = {
    ...parts.area.parameters(), relation: parts.relation.value || undefined, nearest: parts.nearest.checked || undefined, include_docs: true, include_distance: true,
    limit: Math.min(Math.max(Math.round(Number(parts.limit.value)) || LIMIT_DEFAULT, 1), LIMIT_MAX),
  };
  const summary = h('div', { role: 'status', class: 'query-summary' }), json = jsonPart();
  let hits = [];
  const read = async bookmark => {
    const { answer, milliseconds } = await readHits(base, query, bookmark, signal);
    const found = itemsOf(answer, 'rows').map(row => hitOf(database, row));
    hits = [...(bookmark === null ? [] : hits), ...found].slice(-ROWS_MAX);
    json.set(answer);
    summary.replaceChildren(h('p', { class: 'note' }, t.summary(count(found.length), count(milliseconds))));
    map.show(hits, { fits: bookmark === null });
    return { rows: found, next: found.length === query.limit ? valueOf(member(answer, 'bookmark')) : null };
  };
  map.show([], { fits: false });
  output.replaceChildren(loadingState());
  try {
    const table = await pagedTable(columns(database, context.choices), read, { caption: t.results, empty: t.noResults });
    if (!signal.aborted) output.replaceChildren(summary, table, json.element, elsewhere(database, base, query, index, parts.area.kind()));
  } catch (error) {
    if (error.name !== 'AbortError' && !signal.aborted) output.replaceChildren(errorState(error));
  }
}

/** Reads a page of hits; without their documents from the first page on that would be too large with them. */
async function readHits(base, query, bookmark, signal) {
  const address = () => withQuery(base, { ...query, bookmark: bookmark ?? undefined });
  try {
    return await askNodes('GET', address(), undefined, { signal });
  } catch (error) {
    if (!(error instanceof TooLarge) || !query.include_docs) throw error;
    query.include_docs = undefined;
    return askNodes('GET', address(), undefined, { signal });
  }
}

/** A row of the answer as a feature of the map. */
function hitOf(database, row) {
  const id = valueOf(member(row, 'id')), doc = member(row, 'doc');
  const metres = valueOf(member(row, 'distance')), hit = { id, label: nameOf(doc, id), geometry: valueOf(member(row, 'geometry')), metres };
  hit.content = () => [h('strong', { dir: 'auto' }, hit.label), h('p', null, documentLink(database, id)), h('p', { class: 'note' }, t.away(kilometres(hit)))];
  return hit;
}

const kilometres = hit => Number.isFinite(hit.metres) ? (hit.metres / 1000).toFixed(2) : '';

function columns(database, { pick }) {
  return [
    { title: t.place, cell: pick },
    { title: t.distance, isNumber: true, cell: kilometres },
    { title: t.id, cell: hit => documentLink(database, hit.id) },
    { title: t.geometry, cell: hit => h('span', { class: 'mono nowrap' }, geometryText(hit.geometry)) },
  ];
}

function geometryText(geometry) {
  if (geometry?.type === 'Point') return `Point ${geometry.coordinates.slice(0, 2).map(number => number.toFixed(5)).join(' ')}`;
  return geometry?.type || '';
}

// ---- The same elsewhere

function elsewhere(database, base, query, index, kind) {
  // A box across the antimeridian has no single polygon.
  const swift = query.wrap ? undefined : () => swiftCode(database, query, index, kind);
  return sameElsewhere([{ address: withQuery(base, query) }], swift);
}

function swiftCode(database, query, index, kind) {
  const polygon = () => {
    const [west, south, east, north] = query.bbox.split(',');
    return `POLYGON((${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}, ${west} ${south}))`;
  };
  const place = kind === 'circle'
    ? `.circle(center: Position(longitude: ${query.lon}, latitude: ${query.lat}), radius: ${query.radius})`
    : `.geometry(try Geometry(wellKnownText: ${swiftText(kind === 'box' ? polygon() : query.g)}))`;
  const relation = query.relation || (kind === 'box' ? 'none' : '');
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
