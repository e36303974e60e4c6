// The addresses of photos: of their pictures, and of the screens that show them.

/** The address of a photo's picture: `image` or `thumbnail`. */
export function photoAddress(id, what, from = 'device') {
  return `/photo/${encodeURIComponent(id)}/${what}${from === 'server' ? '?from=server' : ''}`;
}

/** The address of the screen of a photo. */
export function photoHash(id, from = 'device') { return `#/photo/${from}/${encodeURIComponent(id)}`; }
