// The conflicts of a document: all its versions in columns, and a form that merges them into one.
import { ask, documentPath, path, withQuery } from '../api.js';
import { actionButton, button, h, load, toast } from '../view.js';
import { texts } from '../texts.js';
import { copyAttachment } from './attachments.js';
import { readDocument, readLeaves, storedRevision } from './document-read.js';
import { compact, format, parse, plain, withMembers } from './json.js';
import { choicesView, merge, resultOf } from './merge.js';
import { commonAncestor } from './revision-tree.js';
import { sameElsewhere } from './same.js';

/** The maximum number of versions that are merged at once. */
const VERSIONS_MAX = 12;
const t = texts.merge;

/** Shows the versions of a document, and merges them. `done()` is called when they are one. */
export function mergeView(host, { database, id, mayWrite }, done, signal) {
  return load(host, () => readVersions(database, id, signal), found => found.versions.length < 2
    ? h('p', { class: 'state' }, t.none) : form({ ...found, database, id, mayWrite }, done, signal), signal);
}

async function readVersions(database, id, signal) {
  const leaves = (await readLeaves(database, id, signal)).filter(leaf => !leaf._deleted);
  const versions = leaves.slice(0, VERSIONS_MAX), ancestor = versions.length > 1 ? commonAncestor(versions) : null;
  return { versions, leftOut: leaves.length - versions.length, ancestor, base: ancestor && await storedRevision(database, id, versions[0]._rev, ancestor, signal) };
}

function form(found, done, signal) {
  const { versions, base } = found, names = versions.map((version, i) => t.version(i + 1, version._rev, i === 0));
  const choices = [], part = merge(base ? base.fields : null, versions.map(version => version.fields), choices);
  const files = [], filesPart = merge(base ? stubsOf(base) : null, versions.map(stubsOf), files, [t.attachments]);
  const all = [...choices, ...files];
  const preview = h('pre', { tabindex: '0', dir: 'ltr' }), open = h('p', { class: 'note', role: 'status' });
  const save = actionButton(t.save, () => saveMerged(found, resultOf(part), filesOf(filesPart, versions), done, signal), { class: 'primary' });
  const update = () => {
    const left = all.filter(choice => choice.chosen === null).length;
    preview.textContent = format(resultOf(part));
    open.textContent = left ? t.open(left) : t.allChosen;
    save.disabled = left > 0;
  };
  const chooser = h('div', { class: 'merge-choices' });
  const fill = () => { chooser.replaceChildren(...choicesView(all, names, update).filter(Boolean)); update(); };
  const takeAll = side => {
    for (const choice of all) choice.chosen = choice.options.findIndex(option => option.sides.includes(side));
    fill();
  };
  fill();
  return [
    h('p', null, base ? t.threeWay(found.ancestor) : t.twoWay),
    found.leftOut > 0 && h('p', { class: 'warning' }, t.versionsLeftOut(found.leftOut)),
    h('div', { class: 'merge-versions', tabindex: '0', role: 'region', 'aria-label': t.versions },
      base && versionView(t.ancestor(found.ancestor), base), versions.map((version, i) => versionView(names[i], version, all.length > 0 && button(t.takeAll, () => takeAll(i))))),
    all.length > 0 && h('h2', null, t.choices), chooser,
    h('h2', null, t.result), preview, open, found.mayWrite && h('div', { class: 'buttons' }, save),
    sameElsewhere([{ address: withQuery(documentPath(found.database, found.id), { open_revs: 'all', revs: true }) }]),
  ];
}

const versionView = (title, version, action) => h('section', { class: 'merge-version' },
  h('div', { class: 'merge-version-head' }, h('h3', null, title), action), h('pre', { dir: 'ltr', tabindex: '0' }, version.text));

/** The attachments of a version as a node: equal for equal contents. */
function stubsOf(version) {
  const entries = Object.entries(version._attachments || {});
  return parse(JSON.stringify(Object.fromEntries(entries.map(([name, stub]) => [name, [stub.digest, stub.content_type]]))));
}

/** The attachments of the result, as `[{ name, version }]`: the version that has the content. */
function filesOf(part, versions) {
  return resultOf(part).members.map(({ key, node }) => ({
    name: key, version: versions.find(version => format(stubsOf(version).members.find(item => item.key === key)?.node || plain(null)) === format(node)),
  })).filter(item => item.version);
}

/**
 * Saves the result as the next revision of the winner, and deletes the other versions only when that was accepted: nothing
 * is lost if someone else saved in between. Attachments of the other versions are copied first.
 */
async function saveMerged(found, fields, files, done, signal) {
  const { database, id, versions } = found, [winner, ...others] = versions, place = { database, id, revision: winner._rev };
  for (const file of files.filter(item => item.version !== winner)) {
    place.revision = await copyAttachment(place, file.name, file.version._rev, signal);
  }
  const current = files.length ? (await readDocument(database, id, place.revision, signal))._attachments || {} : {};
  const stubs = Object.fromEntries(files.map(({ name }) => [name, current[name]]));
  const whole = withMembers(fields, { _id: plain(id), _rev: plain(place.revision), _attachments: files.length ? plain(stubs) : undefined });
  await ask('PUT', documentPath(database, id), new Blob([compact(whole)], { type: 'application/json' }), { signal });
  const answers = await ask('POST', path(database, '_bulk_docs'), { docs: others.map(leaf => ({ _id: id, _rev: leaf._rev, _deleted: true })) }, { signal });
  const refused = answers.filter(answer => answer.error);
  if (refused.length) toast(t.notAllDeleted(refused.length, refused[0].reason), 'error');
  else toast(t.merged(versions.length));
  done();
}
