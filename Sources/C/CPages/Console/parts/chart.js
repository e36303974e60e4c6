// <godwit-chart>: a chart with Chart.js, in the colours of the console, and its numbers as a table.
import { h } from '../view.js';
import { texts } from '../texts.js';

const SCRIPT = '/_utils/lib/chart.js/chart.min.js';
/** The maximum number of rows of the table: of more points the last ones are in it. */
const ROWS_MAX = 300;
const TICKS_MAX = 5, BAR_PIXELS_MIN = 4, ALONE_PIXELS = 3;
const t = texts.chart;

let loading = null;

/** Loads Chart.js once; a failure is tried again with the next chart. */
function library() {
  loading ||= new Promise((resolve, reject) => {
    document.head.append(h('script', { src: SCRIPT, onload: () => resolve(window.Chart), onerror: async () => {
      loading = null;
      reject(new Error(await reasonOf()));
    } }));
  });
  return loading;
}

/** The sentence of the server, such as that a package is not installed. */
async function reasonOf() {
  try {
    const response = await fetch(SCRIPT);
    if (!response.ok) return (await response.json()).reason;
  } catch { /* the words below say enough */ }
  return t.notLoaded;
}

const isReduced = matchMedia('(prefers-reduced-motion: reduce)'), isDark = matchMedia('(prefers-color-scheme: dark)');
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/**
 * Shows `data`, which is `{ title, first, labels, series: [{ name, values, colour, isBar, isFilled }], words(value) }`: `first`
 * is the heading of the labels, `colour` the name of a variable of the style sheet, and `words` the text of a value. A value may
 * be `null`.
 */
class GodwitChart extends HTMLElement {
  #data = null;
  #chart = null;
  #parts = null;
  #redraw = () => this.#draw(true);

  set data(data) {
    this.#data = data;
    if (this.isConnected) this.#draw(false);
  }

  connectedCallback() {
    isDark.addEventListener('change', this.#redraw);
    if (this.#data) this.#draw(false);
  }

  disconnectedCallback() {
    isDark.removeEventListener('change', this.#redraw);
    this.#end();
  }

  #end() {
    this.#chart?.destroy();
    this.#chart = null;
  }

  #build() {
    const canvas = h('canvas', { role: 'img' }), picture = h('div', { class: 'chart-picture' }, canvas), table = h('div', { class: 'chart-numbers' });
    const numbers = h('details', { class: 'chart-details', ontoggle: () => this.#fillTable() }, h('summary', null, t.numbers), table);
    this.#parts = { canvas, picture, table, numbers };
    this.replaceChildren(picture, numbers);
  }

  async #draw(isAnew) {
    if (!this.#parts) this.#build();
    const { canvas, picture } = this.#parts;
    canvas.setAttribute('aria-label', t.label(this.#data.title));
    this.#fillTable();
    let Chart;
    try {
      Chart = await library();
    } catch (error) {
      picture.replaceChildren(h('p', { class: 'note' }, error.message));
      picture.classList.add('chart-missing');
      return;
    }
    if (!this.isConnected) return;
    if (isAnew || !this.#chart) {
      this.#end();
      this.#chart = new Chart(canvas, configuration(this.#data));
      return;
    }
    const next = configuration(this.#data);
    Object.assign(this.#chart.data, next.data);
    this.#chart.update('none');
  }

  #fillTable() {
    const { numbers, table } = this.#parts;
    if (!numbers.open) return table.replaceChildren();
    const { title, first, labels, series, words } = this.#data, from = Math.max(0, labels.length - ROWS_MAX);
    table.replaceChildren(h('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': t.numbersOf(title) }, h('table', { class: 'data-table' },
      h('caption', { class: 'hidden' }, title),
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, first), series.map(item => h('th', { scope: 'col', class: 'number' }, item.name)))),
      h('tbody', null, labels.slice(from).map((label, i) => h('tr', null, h('th', { scope: 'row' }, label), series.map(item => h('td', { class: 'number' }, valueWords(item.values[from + i], words)))))))));
  }
}

const valueWords = (value, words) => isKnown(value) ? words(value) : t.none;

function configuration({ labels, series, words }) {
  const grid = { color: colour('--rule'), borderColor: colour('--edge') }, ticks = { color: colour('--ink-quiet') };
  return {
    type: 'line',
    data: { labels, datasets: series.map(dataset) },
    options: {
      responsive: true, maintainAspectRatio: false, animation: isReduced.matches ? false : { duration: 250 }, interaction: { mode: 'index', intersect: false },
      scales: {
        x: { grid: { ...grid, display: false }, ticks: { ...ticks, maxRotation: 0, autoSkipPadding: 18 } },
        y: { beginAtZero: true, grid, ticks: { ...ticks, maxTicksLimit: TICKS_MAX, callback: value => words(value) } },
      },
      plugins: {
        legend: { display: series.length > 1, labels: { color: colour('--ink'), boxWidth: 14 } },
        tooltip: { callbacks: { label: item => `${item.dataset.label}: ${valueWords(series[item.datasetIndex].values[item.dataIndex], words)}` } },
      },
    },
  };
}

const isKnown = value => value !== null && value !== undefined;
/** A value without neighbours is a point: it has no line. */
const isAlone = (values, i) => isKnown(values[i]) && !isKnown(values[i - 1]) && !isKnown(values[i + 1]);

function dataset(item) {
  const ink = colour(item.colour);
  // A bar has a height that can be seen; without a value there is none.
  const values = item.isBar ? item.values.map(value => value || null) : item.values;
  return {
    type: item.isBar ? 'bar' : 'line', label: item.name, data: values, minBarLength: BAR_PIXELS_MIN, barPercentage: 1, order: item.isBar ? 0 : 1, borderColor: ink, backgroundColor: item.isBar ? ink : colour('--blue-quiet'),
    borderWidth: item.isBar ? 0 : 1.5, borderDash: item.isDashed ? [5, 3] : [], pointRadius: values.map((value, i) => isAlone(values, i) ? ALONE_PIXELS : 0), pointHitRadius: 8, fill: Boolean(item.isFilled), spanGaps: false, tension: 0.2,
  };
}

customElements.define('godwit-chart', GodwitChart);

/** A chart of `data`. */
export function chart(data) {
  const element = document.createElement('godwit-chart');
  element.data = data;
  return element;
}
