// A document with a place, as an example.

/** A document that a map shows, and that a geospatial index finds. */
export const PLACE_EXAMPLE = { name: 'Charles Bridge', geometry: { type: 'Point', coordinates: [14.4114, 50.0865] } };
