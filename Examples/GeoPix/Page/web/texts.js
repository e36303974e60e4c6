// All texts of the map page, for translators. Functions insert names and numbers.

const number = new Intl.NumberFormat('en-GB');
const plural = (count, one, many) => `${number.format(count)} ${count === 1 ? one : many}`;
const photos = count => plural(count, 'photo', 'photos');

export const texts = {
  title: 'GeoPix: map',
  reload: 'Reload',
  tryAgain: 'Try again',
  close: 'Close',
  photos,
  errors: {
    noAnswer: 'The server did not respond. Check that it is running.',
    status: status => `The server responded with status ${status}.`,
    unreadable: 'The server’s response could not be read.',
    library: reason => `The map library (Leaflet with its clusters) could not be loaded. ${reason.replace(/([^.])$/, '$1.')}`.trim(),
    photos: reason => `The photos could not be read. ${reason}`,
    photo: reason => `The photo could not be read. ${reason}`,
    noPhoto: 'There is no such photo: perhaps it was deleted.',
    picture: 'The picture could not be loaded.',
  },
  states: {
    loading: 'Reading the photos…',
    none: 'There are no photos yet.',
    noneMore: 'They appear here as soon as a device sends one that has a place.',
    noneInTime: 'No photos in this time.',
    allTimes: 'Show all times',
  },
  live: {
    lost: 'No connection to the server. New photos appear as soon as it responds again.',
    offline: 'This device is offline. New photos appear as soon as it is connected again.',
    isNew: name => name ? `New photo by ${name}` : 'New photo',
    areNew: count => `${plural(count, 'new photo', 'new photos')}`,
    withoutPlace: name => `New photo by ${name}, without a place`,
    openGone: 'The photo that was open has been deleted.',
    part: count => `Only the newest ${photos(count)} are on the map.`,
  },
  map: {
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    fit: 'Show all photos',
    pins: count => `${photos(count)} on the map; the arrow keys go from pin to pin, Enter opens`,
    pin: date => `Photo, ${date}`,
    group: (count, span) => `${photos(count)}, ${span}`,
    count: count => count < 1000 ? String(count) : count < 10000 ? `${(Math.floor(count / 100) / 10).toFixed(1)}k` : `${Math.floor(count / 1000)}k`,
  },
  counts: {
    all: photos,
    ofAll: (count, all) => `${number.format(count)} of ${photos(all)}`,
    inView: count => `${number.format(count)} in view`,
  },
  near: {
    title: 'In view, newest first',
  },
  times: {
    title: 'Time',
    from: 'From',
    to: 'To',
    reset: 'All times',
    span: (from, to) => from === to ? from : `${from} – ${to}`,
  },
  photo: {
    title: 'Photo',
    alternative: name => `A photo of ${name}`,
    taken: 'Taken',
    place: 'Place',
    altitude: 'Altitude',
    owner: 'By',
    withoutPlace: 'without a place',
    metres: altitude => `${Math.round(altitude)} m`,
    newer: 'Newer photo',
    older: 'Older photo',
    position: (index, count) => `${number.format(index)} of ${number.format(count)}`,
    positionHere: (index, count) => `${number.format(index)} of ${number.format(count)} at this place`,
    toMap: 'Show the place on the map',
    full: 'Full screen',
    fill: 'Fill the screen',
    whole: 'Show the whole photo',
  },
};
