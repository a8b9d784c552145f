// The charts of all concepts: over α and over layers.
const {byId, fixed, range} = page.dom;
const {data, names: {concept: concepts, layer: layers}, hasExamples, results, resultOf, strongestFirst, overLayers, overLayersName} = page.results;
const {chosen, scoreNames, ownAlpha, alphaOf, alphaText} = page.chosen;
const {baseOptions, drawFigure, faded, lineStyle, seriesColour} = page.charts;
const {grid} = data;

const mostLines = 12;
const drawnConcepts = new Set(
    concepts.length <= mostLines ?
        concepts :
        [...new Set(strongestFirst.map((i) => results[i].concept))].slice(0, mostLines));
// The chosen one is always among them.
const charted = () => concepts.filter((name) => drawnConcepts.has(name) || name === chosen.result.concept);
const chartedNote =
    concepts.length > mostLines ? ` The ${mostLines} strongest of ${concepts.length} are shown.` : '';

const unit = {min: 0, max: 1};
const half = {axis: 'y', at: 0.5};
const level = `${+ (100 * data.level).toPrecision(6)}\u00a0%`;

function drawProfile() {
  const {class: inClass, layer} = chosen.result;
  const shown = charted().map((concept) => resultOf({concept, class: inClass, layer})).filter((r) => r?.profile);
  byId('profile').hidden = !shown.length;
  if (!shown.length) return;
  const points = (values) => values.map((y, i) => ({x: grid[i], y}));
  const datasets = shown.flatMap(({concept, profile}, i) => {
    const band = {
      helper: true,
      borderWidth: 0,
      pointRadius: 0,
      backgroundColor: faded(seriesColour(i), 0.13)
    };
    return [
      {label: concept, data: points(profile.score), pointHoverRadius: 4, ...lineStyle(i, 0)},
      {...band, data: points(profile.low)},
      {...band, data: points(profile.high), fill: '-1'},
    ];
  });
  const at = alphaOf(shown[0]);
  const label = ownAlpha() ? `${scoreNames[chosen.alpha]} of ${shown[0].concept}` : `α = ${alphaText(at ?? 0)}`;
  const options = baseOptions('α', 'score', {
    x: {
      type: 'logarithmic',
      min: grid[0],
      max: grid[grid.length - 1],
      ticks: {
        callback: (v) => ([0.1, 0.3, 1, 3, 10, 30, 100].includes(v) ? String(v) : undefined),
        autoSkip: false
      }
    },
    y: unit,
    lines: at === null ? [half] : [half, {axis: 'x', at, label}]
  });
  options.plugins.tooltip.callbacks = {
    title: ([item]) => (item ? `α = ${alphaText(item.parsed.x)}` : ''),
    label: (item) => `${item.dataset.label}: ${fixed(item.parsed.y)}`
  };
  const last = grid.length - 1;
  drawFigure('profile', {
    title: 'Sensitivity profile',
    text: `The score of each concept for ${inClass}${layers.length > 1 ? ` at ${layer}` : ''} over all α, with ${level} intervals ` +
        `(${shown[0].alpha ? 'by bootstrap above 10' : 'over inputs'}). Lines that stay on one side of 0.50 ` +
        `do not depend on the choice.${chartedNote}`,
    label: shown
               .map(({concept, profile}) => `${concept}: ${fixed(profile.score[0])} at α ${grid[0]} to ${
                        fixed(profile.score[last])} at α ${grid[last]}`)
               .join('; '),
    table: {
      head: ['α', ...shown.map((r) => r.concept)],
      rows: grid.map((alpha, i) => [alphaText(alpha), ...shown.map(({profile}) => `${
          fixed(profile.score[i], 3)} (${range([profile.low[i], profile.high[i]])})`)])
    },
    config: {type: 'line', data: {datasets}, options},
  });
}

// `value` gives {at, low, high}.
function drawOverLayers(id, title, text, value, scale) {
  const shown = charted();
  const {class: inClass} = chosen.result;
  const cells = shown.map((concept) => layers.map((layer) => resultOf({concept, class: inClass, layer})));
  const ends = (r) => [value(r).low, value(r).high];
  const show = (r) => {
    if (!r) return '–';
    const {at, low} = value(r);
    return at === null ? 'undefined' : fixed(at) + (low === null ? '' : ` (${range(ends(r))})`);
  };
  const datasets = cells.map((row, i) => ({
                               label: shown[i],
                               data: row.map((r) => (r ? value(r).at : null)),
                               whiskers: row.map((r) => (r ? ends(r).map((end) => end ?? NaN) : [NaN, NaN])),
                               ...lineStyle(i, 4)
                             }));
  drawFigure(id, {
    title,
    text: text + chartedNote,
    label: shown
               .map((name, i) => `${name}: ${cells[i].map((r, l) => `${layers[l]} ${show(r)}`).join(', ')}`)
               .join('; '),
    table: {head: ['Concept', ...layers], rows: shown.map((name, i) => [name, ...cells[i].map(show)])},
    config: {
      type: 'line',
      data: {labels: layers, datasets},
      options: baseOptions('', '', {...scale, x: {offset: true}})
    },
  });
}

function drawLayers() {
  if (layers.length < 2) return;
  drawOverLayers(
      'layer-effects', overLayersName, `For ${chosen.result.class}, with ${level} intervals.`,
      overLayers, {lines: [{axis: 'y', at: 0}]});
  byId('layer-accuracy').hidden = !hasExamples;
  if (hasExamples)
    drawOverLayers(
        'layer-accuracy', 'Held-out accuracy',
        `How well the layer tells the concept, with approximate ${level} intervals; chance is 0.50.`,
        (r) => r.accuracy, {y: unit, lines: [half]});
}

let frame = 0;
document.addEventListener('alpha', () => {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(drawProfile);
});
document.addEventListener('place', () => {
  drawProfile();
  drawLayers();
});
