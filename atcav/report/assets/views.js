// What is chosen in the page, and the charts of all concepts: over α and over layers.
const {concept: concepts, class: classes, layer: layers} = data.names;
const placeKey = (r) => JSON.stringify([r.concept, r.class, r.layer]);
const places = new Map(results.map((r, i) => [placeKey(r), i]));
const placeOf = (wanted) => places.get(placeKey(wanted));
const find = (concept, inClass, layer) => placeOf({concept, class: inClass, layer}) ?? -1;
const mostLines = 12;
const drawnConcepts = new Set(
    concepts.length <= mostLines ?
        concepts :
        [...new Set([...results].sort((a, b) => telling(b) - telling(a)).map((r) => r.concept))].slice(0, mostLines));
// The chosen one is always among them.
const chartedWith = (chosen) => concepts.filter((name) => drawnConcepts.has(name) || name === chosen);
const chartedNote =
    concepts.length > mostLines ? ` The ${mostLines} strongest of ${concepts.length} are shown.` : '';

// One concept, class and layer for the whole page. It starts with the strongest result of the first class that
// has one shown closely; the address keeps what was chosen: #striped/zebra/layer3.
const view = {};
function setView(index) {
  const {concept, class: inClass, layer} = results[index];
  Object.assign(view, {concept, class: inClass, layer, index});
}
const detailed = results.filter((r) => r.profile);
const ofFirstClass = detailed.filter((r) => r.class === classes[0]);
setView(results.indexOf(
    (ofFirstClass.length ? ofFirstClass : detailed).reduce((best, r) => (telling(r) > telling(best) ? r : best))));
const addressOf = (r) => '#' + [r.concept, r.class, r.layer].map(encodeURIComponent).join('/');
function placeInAddress() {
  const parts = location.hash.slice(1).split('/');
  if (parts.length < 2) return undefined;
  try {
    const [concept, inClass, layer = ''] = parts.map(decodeURIComponent);
    return placeOf({concept, class: inClass, layer});
  } catch {
    return undefined;
  }
}
// Every choice goes through the address, so that back and forward work.
function choosePlace(index) {
  if (index === view.index) return;
  location.hash = addressOf(results[index]);
}
const unit = {
  min: 0,
  max: 1
};
const half = {
  axis: 'y',
  at: 0.5
};
const level = `${+ (100 * data.level).toPrecision(6)} %`;

// A select for each field of several values; with one there is nothing to choose. They are made once, so
// that they keep the focus.
function pickers(container, fields) {
  for (const [name, values, value, change] of fields.filter((field) => field[1].length > 1)) {
    const known = byId(container).querySelector(`select[name=${name}]`);
    const select = known ||
        make('select', {name}, ...values.map((text) => make('option', {value: text, textContent: text})));
    select.value = value;
    if (known) continue;
    select.addEventListener('change', () => change(select.value));
    byId(container).append(make('label', {}, name, select));
  }
}
function drawSelector() {
  const field = (name, key, values) => [name, values, view[key], (value) => {
    const wanted = {...view, [key]: value};
    // A concept that is not there for this class or layer is taken where it is.
    choosePlace(placeOf(wanted) ?? results.findIndex((r) => r[key] === value));
  }];
  pickers('selector', [
    field('Concept', 'concept', concepts), field('Class', 'class', classes), field('Layer', 'layer', layers)
  ]);
}
const lineStyle = (i, width) => ({
  borderColor: seriesColour(i),
  backgroundColor: seriesColour(i),
  borderDash: dashes(i),
  borderWidth: 2,
  pointRadius: width
});

function drawProfile() {
  const shown = chartedWith(view.concept)
                    .map((name) => results[find(name, view.class, view.layer)])
                    .filter((r) => r?.profile);
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
  const label = own() ? `${names[choice]} of ${shown[0].concept}` : `α = ${alphaText(at ?? 0)}`;
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
    text: `The score of each concept for ${view.class}${layers.length > 1 ? ` at ${view.layer}` : ''} over all α, with ${level} intervals ` +
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

const zero = {
  axis: 'y',
  at: 0
};

function drawOverLayers(id, title, text, value, interval, scale) {
  const charted = chartedWith(view.concept);
  const cells = charted.map((name) => layers.map((layer) => results[find(name, view.class, layer)]));
  const show = (r) => (!r ? '–' : value(r) === null ? 'undefined' :
      fixed(value(r)) + (interval && interval(r)[0] !== null ? ` (${range(interval(r))})` : ''));
  const datasets = cells.map((row, i) => ({
                               label: charted[i],
                               data: row.map((r) => (r ? value(r) : null)),
                               whiskers: interval && row.map((r) => (r ? interval(r).map((end) => end ?? NaN) : [NaN, NaN])),
                               ...lineStyle(i, 4)
                             }));
  drawFigure(id, {
    title,
    text: text + chartedNote,
    label: charted
               .map((name, i) => `${name}: ${cells[i].map((r, l) => `${layers[l]} ${show(r)}`).join(', ')}`)
               .join('; '),
    table: {head: ['Concept', ...layers], rows: charted.map((name, i) => [name, ...cells[i].map(show)])},
    config: {
      type: 'line',
      data: {labels: layers, datasets},
      options: baseOptions('', '', {...scale, x: {offset: true}})
    },
  });
}

function drawShared() {
  drawProfile();
  if (layers.length < 2) return;
  const known = 'accuracy' in results[0];
  drawOverLayers(
      'layer-effects', known ? 'Effect d' : 'Logits', `For ${view.class}, with ${level} intervals.`,
      (r) => r.effect.at, (r) => [r.effect.low, r.effect.high], {lines: [zero]});
  byId('layer-accuracy').hidden = !known;
  if (known)
    drawOverLayers(
        'layer-accuracy', 'Held-out accuracy',
        `How well the layer tells the concept, with approximate ${level} intervals; chance is 0.50.`, (r) => r.accuracy.at,
        (r) => [r.accuracy.low, r.accuracy.high], {y: unit, lines: [half]});
}
