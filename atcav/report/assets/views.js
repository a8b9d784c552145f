// What is chosen in the page, and the charts of all concepts: over α and over layers.
const concepts = distinct('concept');
const classes = distinct('class');
const layers = distinct('layer');
const find = (concept, inClass, layer) =>
    results.findIndex((r) => r.concept === concept && r.class === inClass && r.layer === layer);
// The closer look starts with the strongest of what is significant.
const telling = (result) => (result.significance.bonferroni < 1 - result.interval.level ? 1 : 0) +
    Math.abs(scoreOf(result, choice) - 0.5);
const view = {
  class: classes[0],
  layer: layers[layers.length - 1],
  closer: results.reduce((best, result, i) => (telling(result) > telling(results[best]) ? i : best), 0)
};
const unit = {
  min: 0,
  max: 1
};
const half = {
  axis: 'y',
  at: 0.5
};
const level = `${+ (100 * results[0].interval.level).toPrecision(6)} %`;

// A select for each field of several values; with one there is nothing to choose. They are made once, so
// that they keep the focus.
function pickers(container, fields) {
  for (const {name, values, value, change} of fields.filter((field) => field.values.length > 1)) {
    const known = byId(container).querySelector(`select[name=${name}]`);
    const select = known ||
        make('select', {name}, ...values.map((text) => make('option', {value: text, textContent: text})));
    select.value = value;
    if (known) continue;
    select.addEventListener('change', () => change(select.value));
    byId(container).append(make('label', {}, name, select));
  }
}
const classField = (change) => ({
  name: 'Class',
  values: classes,
  value: view.class,
  change: (value) => {
    view.class = value;
    change();
  }
});
const layerField = (change) => ({
  name: 'Layer',
  values: layers,
  value: view.layer,
  change: (value) => {
    view.layer = value;
    change();
  }
});

function drawProfile() {
  pickers('profile-pickers', [classField(drawShared), layerField(drawShared)]);
  const shown = concepts.map((name) => results[find(name, view.class, view.layer)]).filter(Boolean);
  const points = (values) => values.map((y, i) => ({x: grid[i], y}));
  const datasets = shown.flatMap((result, i) => {
    const line = seriesColour(i);
    const band = {helper: true, borderWidth: 0, pointRadius: 0, backgroundColor: faded(line, 0.13)};
    return [
      {
        label: result.concept,
        data: points(result.profile.score),
        borderColor: line,
        backgroundColor: line,
        borderDash: dashes(i),
        borderWidth: 2,
        pointRadius: 0,
        pointHoverRadius: 4
      },
      {...band, data: points(result.profile.low)},
      {...band, data: points(result.profile.high), fill: '-1'},
    ];
  });
  const own = choice === 'star' || choice === 'dagger';
  const lines = [half];
  if (own)
    shown.forEach((r, i) => {
      if (i === 0 && r.alpha[choice] !== null)
        lines.push({axis: 'x', at: r.alpha[choice], label: `${names[choice]} of ${r.concept}`});
    });
  else if (choice !== 'tcav')
    lines.push(
        {axis: 'x', at: alphaOf(shown[0], choice), label: `α = ${alphaText(alphaOf(shown[0], choice))}`});
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
    lines
  });
  options.plugins.tooltip.callbacks = {
    title: ([item]) => (item ? `α = ${alphaText(item.parsed.x)}` : ''),
    label: (item) => `${item.dataset.label}: ${fixed(item.parsed.y)}`
  };
  drawFigure('profile', {
    title: 'Sensitivity profile',
    text: `The score of each concept for ${view.class} over all α, with ${level} intervals ` +
        '(by bootstrap above 10). Lines that stay on one side of 0.50 do not depend on the choice.',
    label: shown
               .map(
                   (r) => `${r.concept}: ${fixed(r.profile.score[0])} at α ${grid[0]} to ${
                       fixed(r.profile.score[grid.length - 1])} at α 100`)
               .join('; '),
    table: {
      head: ['α', ...shown.map((r) => r.concept)],
      rows: grid.map(
          (alpha, i) =>
              [alphaText(alpha),
               ...shown.map(
                   (r) => `${fixed(r.profile.score[i], 3)} (${range(r.profile.low[i], r.profile.high[i])})`)])
    },
    config: {type: 'line', data: {datasets}, options},
  });
}

function drawLayers() {
  if (layers.length < 2) return;
  pickers('layer-pickers', [classField(drawShared)]);
  const draw = (id, title, text, value, interval) => {
    const cells = concepts.map((name) => layers.map((layer) => results[find(name, view.class, layer)]));
    const show = (r) => (r ? fixed(value(r)) + (interval ? ` (${range(...interval(r))})` : '') : '–');
    const datasets = cells.map((row, i) => ({
                                 label: concepts[i],
                                 data: row.map((r) => (r ? value(r) : null)),
                                 whiskers: interval && row.map((r) => (r ? interval(r) : [NaN, NaN])),
                                 borderColor: seriesColour(i),
                                 backgroundColor: seriesColour(i),
                                 borderDash: dashes(i),
                                 borderWidth: 2,
                                 pointRadius: 4,
                               }));
    drawFigure(id, {
      title,
      text,
      label: concepts
                 .map((name, i) => `${name}: ${cells[i].map((r, l) => `${layers[l]} ${show(r)}`).join(', ')}`)
                 .join('; '),
      table: {head: ['Concept', ...layers], rows: concepts.map((name, i) => [name, ...cells[i].map(show)])},
      config: {
        type: 'line',
        data: {labels: layers, datasets},
        options: baseOptions('', '', {y: unit, lines: [half], x: {offset: true}})
      },
    });
  };
  draw(
      'layer-scores', 'Score', `for ${view.class}, at the α chosen above, with ${level} intervals`,
      (r) => scoreOf(r, choice), (r) => intervalOf(r, choice));
  draw(
      'layer-accuracy', 'Held-out accuracy', 'how well the layer tells the concept; 0.50 is a coin',
      (r) => r.accuracy.held_out);
}

function drawShared() {
  drawProfile();
  drawLayers();
}
