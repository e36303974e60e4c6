// The colours of the base map, and the widths of its lines by zoom.

const LIGHT = {
  water: '#b9d3e3', land: '#f3f0e9', urban: '#e4ddd2', parks: '#d9e6cf', coast: '#8fb0c4', river: '#9fc0d6',
  country: '#a78fae', province: '#cdbfce', rail: '#c4bdb6', grid: '#adc9da',
  name: '#3b3a36', country_name: '#5d4a66', province_name: '#8a7b8d', water_name: '#4f7c99', park_name: '#4f7a4a',
  halo: '#fbf9f4', water_halo: '#cbe0ec', dot: '#5a5852',
};
const DARK = {
  water: '#16222c', land: '#262b2f', urban: '#343a3e', parks: '#25332b', coast: '#3e5566', river: '#2c4355',
  country: '#7d6a86', province: '#4a4350', rail: '#454b50', grid: '#1e2d39',
  name: '#d5d9dc', country_name: '#b7a6c0', province_name: '#85798b', water_name: '#6f9ab5', park_name: '#7fa37c',
  halo: '#1c2125', water_halo: '#14202a', dot: '#aeb4b8',
};

/** The colours for a theme: `light`, `dark`, or what the device prefers. */
export function colours(theme) {
  const isDark = theme === 'dark' || theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches;
  return isDark ? DARK : LIGHT;
}

/** The width of a line in pixels: `from` at zoom 2, `to` at zoom 10. */
export function width(zoom, from, to) {
  return from + (to - from) * Math.min(1, Math.max(0, (zoom - 2) / 8));
}

export const FONT = 'system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif';
