// The photos on the map by their identifiers, and the details of those that were read.
import { read } from './elements.js';

/** The maximum number of photos of which the details are kept. */
const DETAILS_MAX = 300;

/** The photos with a place: `{ id, sort, latitude, longitude }`. */
export const photos = new Map();
const details = new Map();
let sorted = null;

const isNumber = value => typeof value === 'number' && isFinite(value);

function photoOf(id, sort, latitude, longitude) {
  if (typeof id !== 'string' || !isNumber(sort) || !isNumber(latitude) || !isNumber(longitude) || Math.abs(latitude) > 90) return null;
  // Web Mercator ends at 85°, and the map shows one world.
  return { id, sort, latitude, longitude: Math.abs(longitude) > 180 ? ((longitude + 540) % 360 + 360) % 360 - 180 : longitude };
}

function isSame(a, b) { return a.sort === b.sort && a.latitude === b.latitude && a.longitude === b.longitude; }

/** Takes a photo of an event; returns whether it is new on the map. */
export function take(photo) {
  keep(photo);
  const taken = photoOf(photo.id, photo.sort, photo.latitude, photo.longitude), known = photos.get(photo.id);
  if (!taken) {
    remove(photo.id, true);
    return false;
  }
  if (known && isSame(known, taken)) return false;
  photos.set(taken.id, taken);
  sorted = null;
  return !known;
}

export function remove(id, keepsDetails = false) {
  if (!keepsDetails) details.delete(id);
  if (photos.delete(id)) sorted = null;
}

/** Replaces the photos by the server's list; returns the identifiers that are new. */
export function replaceAll(rows) {
  const fresh = [], left = new Set(photos.keys());
  for (const row of Array.isArray(rows) ? rows : []) {
    const photo = Array.isArray(row) ? photoOf(...row) : null;
    if (!photo) continue;
    const known = photos.get(photo.id);
    left.delete(photo.id);
    if (known && isSame(known, photo)) continue;
    if (!known) fresh.push(photo.id);
    photos.set(photo.id, photo);
  }
  left.forEach(id => remove(id));
  sorted = null;
  return fresh;
}

/** All photos, the newest first. */
export function newestFirst() {
  sorted = sorted || Array.from(photos.values()).sort((a, b) => b.sort - a.sort || (a.id < b.id ? 1 : -1));
  return sorted;
}

// MARK: Details

function keep(photo) {
  details.delete(photo.id);
  details.set(photo.id, photo);
  if (details.size > DETAILS_MAX) details.delete(details.keys().next().value);
}

export function knownDetails(id) { return details.get(id) || null; }

/** Reads a photo with its caption and the paths of its pictures. */
export async function readDetails(id) {
  const photo = await read(`/photos/one/${encodeURIComponent(id)}`);
  keep(photo);
  return photo;
}

/** The path of a thumbnail. The list for the map has no names of pictures; the server needs only the photo's. */
export function thumbnailOf(id) { return `/thumbnail/${encodeURIComponent(id)}/photo.jpg`; }

/** The owner of a photo: the part of its identifier before the colon. */
export function ownerOf(id) { return id.slice(0, Math.max(0, id.indexOf(':'))); }
