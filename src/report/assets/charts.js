// How charts look: colours from the style sheet, marks and whiskers, and a table beside each chart, which
// stands in for it when Chart.js is missing.
const {byId, make} = page.dom;
const palette = {
  light: ['#0072b2', '#d55e00', '#009e73', '#b8568f', '#a07800', '#5b4fc4'],
  dark: ['#56b4e9', '#f08a4b', '#3cc79b', '#e39ac4', '#e3b43c', '#a69cf2'],
};
const darkScheme = window.matchMedia('(prefers-color-scheme: dark)');
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const seriesColour = (i) => palette[darkScheme.matches ? 'dark' : 'light'][i % 6];
const dashes = (i) => [[], [6, 4], [2, 3]][Math.floor(i / 6) % 3];
const faded = (hex, opacity) => hex + Math.round(255 * opacity).toString(16).padStart(2, '0');

const lineStyle = (i, width) => ({
  borderColor: seriesColour(i),
  backgroundColor: seriesColour(i),
  borderDash: dashes(i),
  borderWidth: 2,
  pointRadius: width
});

// Lines across the chart: {axis: 'x' or 'y', at, label}.
const marks = {
  id: 'marks',
  afterDatasetsDraw(chart, _, {lines = []}) {
    const {ctx, chartArea: area, scales} = chart;
    ctx.save();
    ctx.strokeStyle = colour('none');
    ctx.fillStyle = colour('muted');
    ctx.font = `12px ${Chart.defaults.font.family}`;
    for (const {axis, at, label} of lines) {
      const across = scales[axis].getPixelForValue(at);
      const [low, high] = axis === 'x' ? [area.left, area.right] : [area.top, area.bottom];
      if (!(across >= low - 1 && across <= high + 1)) continue;
      ctx.setLineDash([4, 4]);
      ctx.beginPath();
      if (axis === 'x') {
        ctx.moveTo(across, area.top);
        ctx.lineTo(across, area.bottom);
      } else {
        ctx.moveTo(area.left, across);
        ctx.lineTo(area.right, across);
      }
      ctx.stroke();
      if (!label) continue;
      const right = across < (area.left + area.right) / 2;
      ctx.textAlign = right ? 'left' : 'right';
      ctx.fillText(label, across + (right ? 5 : -5), area.top + 11);
    }
    ctx.restore();
  },
};

// Intervals of the points of a line: dataset.whiskers[i] = [low, high].
const whiskers = {
  id: 'whiskers',
  beforeDatasetsDraw(chart) {
    const {ctx, scales} = chart;
    ctx.save();
    ctx.lineWidth = 2;
    chart.data.datasets.forEach((dataset, d) => {
      if (!dataset.whiskers || !chart.isDatasetVisible(d)) return;
      ctx.strokeStyle = faded(dataset.borderColor, 0.45);
      chart.getDatasetMeta(d).data.forEach((point, i) => {
        ctx.beginPath();
        ctx.moveTo(point.x, scales.y.getPixelForValue(dataset.whiskers[i][0]));
        ctx.lineTo(point.x, scales.y.getPixelForValue(dataset.whiskers[i][1]));
        ctx.stroke();
      });
    });
    ctx.restore();
  },
};

function baseOptions(xTitle, yTitle, {x = {}, y = {}, lines = [], legend = true} = {}) {
  const axis = (title, more) => ({
    title: {display: Boolean(title), text: title, color: colour('muted')},
    ticks: {color: colour('muted'), maxRotation: 0, autoSkipPadding: 12, ...more.ticks},
    grid: {color: faded(colour('line'), 0.6), borderColor: colour('line'), tickLength: 4},
    ...Object.fromEntries(Object.entries(more).filter(([key]) => key !== 'ticks')),
  });
  return {
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    interaction: {mode: 'nearest', axis: 'x', intersect: false},
    scales: {x: axis(xTitle, x), y: axis(yTitle, y)},
    plugins: {
      marks: {lines},
      legend: {
        display: legend,
        position: 'bottom',
        align: 'start',
        labels: {
          color: colour('ink'),
          usePointStyle: true,
          boxWidth: 8,
          boxHeight: 8,
          filter: (item, {datasets}) => !datasets[item.datasetIndex].helper
        },
      },
      tooltip: {filter: (item) => !item.dataset.helper},
    },
  };
}

function dataTable({caption, head, rows}) {
  const cell = (tag, text, scope) => make(tag, scope ? {scope} : {}, text);
  return make(
      'div', {className: 'scroll', role: 'region', 'aria-label': caption, tabIndex: 0},
      make(
          'table', {}, make('caption', {className: 'sr'}, caption),
          make('thead', {}, make('tr', {}, ...head.map((text) => cell('th', text, 'col')))),
          make(
              'tbody', {},
              ...rows.map(
                  (row) => make(
                      'tr', {},
                      ...row.map((text, i) => (i === 0 ? cell('th', text, 'row') : cell('td', text))))))));
}

// Fills <figure id>: heading, sentence, chart (read out as `label`), and the same as a table.
const drawn = {};
function drawFigure(id, {title, text, label, table, config}) {
  const figure = byId(id);
  const open = figure.querySelector('details')?.open;
  if (drawn[id]) drawn[id].destroy();
  const parts = [make('figcaption', {}, make('b', {}, title), text)];
  const canvas = make('canvas', {role: 'img', 'aria-label': label});
  if (window.Chart) parts.push(make('div', {className: 'canvas'}, canvas));
  const numbers =
      make('details', {}, make('summary', {}, 'As a table'), dataTable({caption: title, ...table}));
  numbers.open = open ?? !window.Chart;
  figure.replaceChildren(...parts, numbers);
  if (window.Chart) drawn[id] = new Chart(canvas, {...config, plugins: [marks, whiskers]});
}

if (window.Chart) {
  Chart.defaults.font.family = getComputedStyle(document.documentElement).fontFamily;
  Chart.defaults.font.size = 12;
}

page.charts = {baseOptions, colour, darkScheme, drawFigure, drawn, faded, lineStyle, seriesColour};
