// The revisions of a document as a drawing: each has a row, the newest is the first, and branches have columns.
import { h, svg } from '../view.js';
import { texts } from '../texts.js';

/** The maximum number of rows, and of branches. */
const ROWS_MAX = 240, LANES_MAX = 24;
/** Chains without branches that are longer than this are shortened to their ends. */
const CHAIN_MAX = 9, CHAIN_END = 3;
const ROW = 28, LABEL = 300, RADIUS = 6;
/** The width of a column: less if there are many, so that the names stay in sight. */
const LANE_MAX = 20, LANES_WIDTH = 170;
const t = texts.revisions;

const generation = revision => Number(revision.split('-')[0]);

/** The revisions of a leaf, from it to the oldest that is known. */
export function ancestors(leaf) {
  const { start, ids } = leaf._revisions;
  return ids.map((id, i) => `${start - i}-${id}`);
}

/**
 * Reads the tree from the leaves: `[{ revision, parent, children, leaf }]`, parents after their children. The leaves are
 * documents with `_revisions`, the winner first.
 */
export function treeOf(leaves) {
  const nodes = new Map();
  for (const leaf of leaves) {
    const chain = ancestors(leaf);
    chain.forEach((revision, i) => {
      const node = nodes.get(revision) || { revision, parent: null, children: new Set() };
      nodes.set(revision, node);
      if (i === 0) node.leaf = leaf;
      if (chain[i + 1]) node.parent = chain[i + 1];
      if (i > 0) node.children.add(chain[i - 1]);
    });
  }
  return nodes;
}

/** The newest revision that is an ancestor of all leaves; `null` without one. */
export function commonAncestor(leaves) {
  const [first, ...others] = leaves.map(ancestors);
  return first.find(revision => others.every(chain => chain.includes(revision))) || null;
}

/**
 * The rows of the drawing, as `{ rows, leftOut }`: a row is `{ node, lane }` or `{ gap, lane }`. A branch is drawn completely
 * before the next one begins, down to where it leaves another.
 */
function layout(nodes, leaves) {
  const lanes = new Map(), rows = [];
  let leftOut = 0;
  const branches = leaves.slice(0, LANES_MAX).map((leaf, lane) => {
    const chain = [];
    for (let revision = leaf._rev; revision && !lanes.has(revision); revision = nodes.get(revision).parent) {
      lanes.set(revision, lane);
      chain.push(nodes.get(revision));
    }
    return { lane, chain };
  });
  const all = branches.flatMap(branch => shortened(branch.chain).map(item => ({ ...item, lane: branch.lane })));
  // The newest generation is above; a branch of the same generation is to the right.
  all.sort((a, b) => generation((b.node || b.above).revision) - generation((a.node || a.above).revision) || a.lane - b.lane);
  for (const item of all) {
    if (rows.length < ROWS_MAX) rows.push(item);
    else leftOut += item.gap || 1;
  }
  return { rows, leftOut, branchesLeftOut: Math.max(0, leaves.length - LANES_MAX) };
}

/** The chain without the part between two ends, if no branch begins there. */
function shortened(chain) {
  const result = [];
  for (let i = 0; i < chain.length;) {
    let last = i;
    while (last < chain.length && chain[last].children.size < 2) last += 1;
    if (last - i > CHAIN_MAX) {
      result.push(...chain.slice(i, i + CHAIN_END).map(node => ({ node })));
      const hidden = chain.slice(i + CHAIN_END, last - CHAIN_END);
      result.push({ gap: hidden.length, above: hidden[0], nodes: hidden });
      result.push(...chain.slice(last - CHAIN_END, last).map(node => ({ node })));
    } else {
      result.push(...chain.slice(i, last).map(node => ({ node })));
    }
    if (last < chain.length) result.push({ node: chain[last] });
    i = last + 1;
  }
  return result;
}

/**
 * Draws the tree.
 *
 * @param leaves The leaves as documents with `_revisions`, the winner first.
 * @param options `address(revision)` is the address of a revision, `shown` the one that is shown, and `missing` a set of those
 *   whose content is not there any more.
 */
export function revisionTree(leaves, options) {
  const nodes = treeOf(leaves), { rows, leftOut, branchesLeftOut } = layout(nodes, leaves);
  const lanes = Math.max(...rows.map(row => row.lane)) + 1, lane = Math.min(LANE_MAX, LANES_WIDTH / lanes);
  const places = new Map();
  rows.forEach((row, i) => {
    for (const node of row.nodes || [row.node]) places.set(node.revision, { x: 12 + row.lane * lane, y: ROW / 2 + i * ROW });
  });
  const width = 12 + lanes * lane + LABEL, height = rows.length * ROW;
  const drawing = svg('svg', { width, height, class: 'revision-tree', role: 'group', 'aria-label': t.title });
  // Lines and marks are above the rows, which can be clicked.
  const lines = svg('g', { class: 'revision-layer' }), marks = svg('g', { class: 'revision-layer' });
  for (const [revision, place] of places) {
    const parent = places.get(nodes.get(revision).parent);
    if (parent && parent.y !== place.y) lines.append(edge(place, parent));
  }
  for (const [i, row] of rows.entries()) {
    const at = { x: 12 + row.lane * lane, y: ROW / 2 + i * ROW, label: 12 + lanes * lane };
    drawing.append(row.gap ? svg('text', { x: at.label, y: at.y + 4, class: 'revision-note' }, t.gap(row.gap)) : line(row.node, at, leaves, options));
    marks.append(row.gap ? svg('path', { d: `M${at.x} ${at.y - 8}V${at.y + 8}`, class: 'revision-gap' }) : mark(row.node, at, leaves, options));
  }
  drawing.append(lines, marks);
  return [
    h('div', { class: 'revision-scroll', tabindex: '0', role: 'region', 'aria-label': t.title }, drawing),
    leftOut > 0 && h('p', { class: 'note' }, t.leftOut(leftOut)),
    branchesLeftOut > 0 && h('p', { class: 'note' }, t.branchesLeftOut(branchesLeftOut)),
  ];
}

/** A line from a revision to its parent: down its own column, and across at the parent. */
function edge(from, to) {
  const bend = Math.max(from.y, to.y - ROW);
  const line = from.x === to.x ? `M${from.x} ${from.y}V${to.y}` : `M${from.x} ${from.y}V${bend}C${from.x} ${to.y} ${to.x} ${bend} ${to.x} ${to.y}`;
  return svg('path', { d: line, class: 'revision-edge' });
}

function stateOf(node, leaves) {
  if (!node.leaf) return 'old';
  if (node.leaf._deleted) return 'deleted';
  return node.leaf === leaves[0] ? 'winner' : 'conflict';
}

const short = revision => revision.length > 14 ? `${revision.slice(0, 12)}…` : revision;

function mark(node, at, leaves, options) {
  const state = stateOf(node, leaves);
  if (state === 'deleted') return svg('path', { d: `M${at.x - 5} ${at.y - 5}l10 10m0 -10l-10 10`, class: 'revision-mark revision-deleted' });
  return svg('circle', { cx: at.x, cy: at.y, r: RADIUS, class: `revision-mark revision-${options.missing.has(node.revision) ? 'missing' : state}` });
}

/** The row of a revision: its name and its state, as a link if its content is stored. */
function line(node, at, leaves, options) {
  const state = stateOf(node, leaves), isMissing = options.missing.has(node.revision), isShown = node.revision === options.shown;
  const words = [node.leaf && t.states[state], isMissing && t.missing, isShown && t.shown].filter(Boolean).join(', ');
  const content = [
    svg('rect', { x: 0, y: at.y - ROW / 2 + 1, width: '100%', height: ROW - 2, rx: 6, class: isShown ? 'revision-row revision-shown' : 'revision-row' }),
    svg('text', { x: at.label, y: at.y + 4.5, class: 'revision-label' }, svg('title', null, node.revision), short(node.revision)),
    svg('text', { x: at.label + 128, y: at.y + 4.5, class: `revision-note revision-note-${state}` }, words),
  ];
  if (isMissing) return svg('g', null, ...content);
  return svg('a', { href: options.address(node.revision), 'aria-label': t.open(node.revision, words), ...(isShown ? { 'aria-current': 'true' } : {}) }, ...content);
}
