// One result closely, and what happens when.
function drawSensitivities(result) {
  const values = result.sensitivities.map((s) => s / result.gamma);
  const bins = histogram(values);
  const counts = bins.count(values);
  const positive = values.filter((v) => v > 0).length;
  const options = baseOptions('sensitivity, in units of its root mean square γ', 'inputs', {
    x: {
      type: 'linear',
      min: bins.edges[0],
      max: bins.edges[bins.edges.length - 1],
      offset: false,
      ticks: {includeBounds: false}
    },
    y: {beginAtZero: true, ticks: {precision: 0}},
    lines: [{axis: 'x', at: 0}],
    legend: false
  });
  options.plugins.tooltip.callbacks = {
    title: () => '',
    label: (item) => `${counts[item.dataIndex]} inputs from ${fixed(bins.edges[item.dataIndex])} to ${
        fixed(bins.edges[item.dataIndex + 1])}`
  };
  drawFigure('sensitivities', {
    title: 'Sensitivities',
    text: `One for each of the ${values.length} inputs of ${result.class}; ${
        positive} are positive: more of the concept raises the class.`,
    label: `Histogram of ${values.length} sensitivities, ${positive} of them positive`,
    table: {
      head: ['From', 'To', 'Inputs'],
      rows: counts.map((n, i) => [fixed(bins.edges[i]), fixed(bins.edges[i + 1]), String(n)])
    },
    config: {
      type: 'bar',
      data: {
        datasets: [{
          data: bins.centres.map((x, i) => ({x, y: counts[i]})),
          backgroundColor: bins.centres.map((x) => faded(colour(x > 0 ? 'for' : 'against'), 0.75)),
          barPercentage: 0.96,
          categoryPercentage: 1
        }]
      },
      options
    },
  });
}

function drawHeldOut(result) {
  const {random, concept} = result.held_out_scores;
  const eta = result.accuracy.threshold;
  const bins = histogram([...random, ...concept], eta);
  const share = (list) => bins.count(list).map((n) => n / (list.length * bins.width));
  const [a, b] = [bins.edges[0], bins.edges[bins.edges.length - 1]];
  const curve = ({mean: m, sd}) =>
      Array.from({length: 121}, (_, i) => a + ((b - a) * i) / 120)
          .map((x) => ({x, y: Math.exp(-0.5 * ((x - m) / sd) ** 2) / (sd * Math.sqrt(2 * Math.PI))}));
  const shades = [
    ['random', random, colour('none'), result.accuracy.random],
    [result.concept, concept, colour('for'), result.accuracy.concept]
  ];
  const datasets = [
    ...shades.filter(([, , , law]) => law.sd > 0).map(([, , shade, law]) => ({
                                                        type: 'line',
                                                        helper: true,
                                                        data: curve(law),
                                                        borderColor: shade,
                                                        borderWidth: 2,
                                                        pointRadius: 0
                                                      })),
    ...shades.map(([name, list, shade]) => ({
                    type: 'bar',
                    label: name,
                    grouped: false,
                    data: share(list).map((y, i) => ({x: bins.centres[i], y})),
                    backgroundColor: faded(shade, 0.45),
                    barPercentage: 0.96,
                    categoryPercentage: 1
                  })),
  ];
  const counts = [bins.count(random), bins.count(concept)];
  const options = baseOptions('score of examples the direction has not seen', '', {
    x: {type: 'linear', min: a, max: b, offset: false, ticks: {includeBounds: false}},
    y: {beginAtZero: true, grace: '12%', ticks: {display: false}, grid: {display: false}},
    lines: [{axis: 'x', at: eta, label: 'η*'}]
  });
  options.plugins.tooltip.callbacks = {
    title: () => '',
    label: (item) =>
        `${item.dataset.label}: ${counts[item.dataset.label === 'random' ? 0 : 1][item.dataIndex]} examples`
  };
  drawFigure('held-out', {
    title: 'Is it encoded?',
    text: `Held-out examples along the direction, with fitted normals and the best threshold η*. Accuracy ${
        fixed(result.accuracy.held_out)}; the normals predict ${fixed(result.accuracy.predicted)}.`,
    label: `Histograms of held-out scores: random mean ${fixed(result.accuracy.random.mean)}, concept mean ${
        fixed(result.accuracy.concept.mean)}, threshold ${fixed(eta)}`,
    table: {
      head: ['From', 'To', 'Random', 'Concept'],
      rows: bins.centres.map(
          (_,
           i) => [fixed(bins.edges[i]), fixed(bins.edges[i + 1]), String(counts[0][i]), String(counts[1][i])])
    },
    config: {type: 'bar', data: {datasets}, options},
  });
}

// Ties go to the first input, as in the library, which keeps pictures of these only.
function showInputs(result) {
  const pictures = data.thumbnails[result.class] || {};
  const order = result.sensitivities.map((_, i) => i)
                    .sort((i, j) => result.sensitivities[j] - result.sensitivities[i] || i - j);
  const shown = Math.min(data.extremes, Math.ceil(order.length / 2));
  const list =
      (title, inputs) => [make('h3', {}, title), make('ol', {}, ...inputs.map((i) => {
                            const picture = pictures[i];
                            const name = picture?.name || `input ${i + 1}`;
                            const value = result.sensitivities[i] / result.gamma;
                            const item = make(
                                'li', {}, make('b', {}, `${value > 0 ? '+' : ''}${fixed(value)}`),
                                make('span', {title: name}, name));
                            if (picture?.uri)
                              item.prepend(make(
                                  'img', {src: picture.uri, alt: `${name}, sensitivity ${fixed(value)}`}));
                            return item;
                          }))];
  byId('inputs').replaceChildren(make(
      'div', {className: 'extremes'}, ...list('Most sensitive inputs', order.slice(0, shown)),
      ...list('Least sensitive inputs', order.slice(order.length - shown).reverse())));
}

function showNumbers(result) {
  const p = (value) => (value < 0.001 ? '< 0.001' : fixed(value, 3));
  const infinite = (alpha) => (alpha === null ? '∞' : fixed(alpha));
  const facts = [
    ['Examples', `${result.n_concept} concept, ${result.n_random} random`],
    ['Dimensions', String(result.d)],
    [
      `Extrapolated to endless examples`,
      `${fixed(result.extrapolated)} (${
          range(result.intervals.extrapolated.low, result.intervals.extrapolated.high)})`
    ],
    ['Posterior, empirical Bayes', fixed(result.posterior.empirical_bayes)],
    [
      'Multi-TCAV',
      `${fixed(result.multi_tcav.mean)} ± ${fixed(result.multi_tcav.sd)} over ${result.multi_tcav.runs} runs`
    ],
    ['TCAV', `${fixed(result.tcav)} (${range(result.intervals.tcav.low, result.intervals.tcav.high)})`],
    ['α*, α†', `${infinite(result.alpha.star)}, ${infinite(result.alpha.dagger)}`],
    [
      'Error from the CAV, from the inputs',
      `${fixed(result.standard_error.cav, 3)}, ${fixed(result.standard_error.inputs, 3)}`
    ],
    ['AUC, held out', fixed(result.accuracy.auc)],
    [
      'p: permutation, Bonferroni, Benjamini–Hochberg',
      [
        result.significance.permutation_p, result.significance.bonferroni,
        result.significance.benjamini_hochberg
      ].map(p)
          .join(', ')
    ],
    ['p of the field’s t-test (overstates)', p(result.significance.welch_p)],
  ];
  byId('closer-numbers')
      .replaceChildren(
          ...facts.map(([term, text]) => make('div', {}, make('dt', {}, term), make('dd', {}, text))));
}

function drawCloser() {
  const result = results[view.closer];
  const look = (change) => {
    const wanted = {...results[view.closer], ...change};
    const index = find(wanted.concept, wanted.class, wanted.layer);
    if (index >= 0) {
      view.closer = index;
      drawCloser();
    }
  };
  pickers('closer-pickers', [
    {name: 'Concept', values: concepts, value: result.concept, change: (concept) => look({concept})},
    {name: 'Class', values: classes, value: result.class, change: (value) => look({class: value})},
    {name: 'Layer', values: layers, value: result.layer, change: (layer) => look({layer})},
  ]);
  byId('closer-sentence').replaceChildren(make('strong', {}, `${result.concept}: `), result.sentence);
  for (const row of document.querySelectorAll('#scores tbody tr'))
    row.classList.toggle('chosen', Number(row.dataset.i) === view.closer);
  drawSensitivities(result);
  drawHeldOut(result);
  showInputs(result);
  showNumbers(result);
}

for (const element of document.querySelectorAll('.scripted')) element.hidden = false;
startScores();
drawShared();
drawCloser();
let frame = 0;
document.addEventListener('alpha', () => {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(drawShared);
});
darkScheme.addEventListener('change', () => {
  drawShared();
  drawCloser();
});
byId('scores').addEventListener('click', (event) => {
  const row = event.target.closest('a[href="#closer"]')?.closest('tr');
  if (row) {
    view.closer = Number(row.dataset.i);
    drawCloser();
  }
});
byId('copy').addEventListener('click', async () => {
  getSelection().selectAllChildren(byId('command'));
  const done = navigator.clipboard ?
      await navigator.clipboard.writeText(byId('command').textContent).then(() => true, () => false) :
      document.execCommand('copy');
  byId('copy').textContent = done ? 'Copied' : 'Selected';
});
