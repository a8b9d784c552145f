// One result closely, and what happens when.
const edgesOf = ({from, width, counts: [first]}) => [...first, 0].map((_, i) => from + i * width);
const centresOf = (bins) => edgesOf(bins).slice(0, -1).map((edge) => edge + bins.width / 2);
const binRows = (bins) => centresOf(bins).map(
    (_, i) => [fixed(edgesOf(bins)[i]), fixed(edgesOf(bins)[i + 1]), ...bins.counts.map((n) => String(n[i]))]);
const barStyle = {
  barPercentage: 0.96,
  categoryPercentage: 1
};
function binOptions(bins, xTitle, yTitle, more, label) {
  const edges = edgesOf(bins);
  const ends = {min: edges[0], max: edges[edges.length - 1]};
  const x = {type: 'linear', ...ends, offset: false, ticks: {includeBounds: false}};
  const options = baseOptions(xTitle, yTitle, {x, ...more});
  options.plugins.tooltip.callbacks = {title: () => '', label};
  return options;
}

function drawSensitivities(result) {
  const bins = result.sensitivities;
  const [counts] = bins.counts;
  const {inputs, positive} = result;
  const text = positive === 0 ?
      `None of the ${inputs} inputs has a positive sensitivity.` :
      `${positive} of the ${inputs} inputs ${positive === 1 ? 'has' : 'have'} a positive sensitivity: there, ` +
          'more of the concept raises the class.';
  drawFigure('sensitivities', {
    title: 'Sensitivities',
    text: `How the logit of ${result.class} changes along the direction, for each input. ${text}`,
    label: `Histogram of sensitivities. ${text}`,
    table: {head: ['From', 'To', 'Inputs'], rows: binRows(bins)},
    config: {
      type: 'bar',
      data: {
        datasets: [{
          data: centresOf(bins).map((x, i) => ({x, y: counts[i]})),
          backgroundColor: centresOf(bins).map((x) => faded(colour(x > 0 ? 'for' : 'against'), 0.75)),
          ...barStyle
        }]
      },
      options: binOptions(
          bins, 'sensitivity, in units of its root mean square γ', 'inputs',
          {y: {beginAtZero: true, ticks: {precision: 0}}, lines: [{axis: 'x', at: 0}], legend: false},
          ({dataIndex: i}) =>
              `${counts[i]} inputs from ${fixed(edgesOf(bins)[i])} to ${fixed(edgesOf(bins)[i + 1])}`)
    },
  });
}

function drawHeldOut(result) {
  const {histogram: bins, threshold, predicted, random, concept} = result.held_out;
  const edges = edgesOf(bins);
  const [a, b] = [edges[0], edges[edges.length - 1]];
  const curve = ({mean, sd}) =>
      Array.from({length: 121}, (_, i) => a + ((b - a) * i) / 120)
          .map((x) => ({x, y: Math.exp(-0.5 * ((x - mean) / sd) ** 2) / (sd * Math.sqrt(2 * Math.PI))}));
  const sets = [['random', random, colour('none')], [result.concept, concept, colour('for')]];
  const total = bins.counts.map((counts) => counts.reduce((sum, n) => sum + n, 0));
  const bars = sets.map(([label, , shade], k) => ({
                          type: 'bar',
                          label,
                          grouped: false,
                          counts: bins.counts[k],
                          data: centresOf(bins).map(
                              (x, i) => ({x, y: bins.counts[k][i] / (total[k] * bins.width)})),
                          backgroundColor: faded(shade, 0.45),
                          ...barStyle
                        }));
  const curves = sets.filter(([, law]) => law.sd > 0).map(([, law, shade]) => ({
                                                            type: 'line',
                                                            helper: true,
                                                            data: curve(law),
                                                            borderColor: shade,
                                                            borderWidth: 2,
                                                            pointRadius: 0
                                                          }));
  drawFigure('held-out', {
    title: 'Is it encoded?',
    text: `Held-out examples along the direction, with fitted normals and the best threshold η*. Accuracy ${
        fixed(result.accuracy.at)}; the normals predict ${fixed(predicted)}.`,
    label: `Histograms of held-out scores: random mean ${fixed(random.mean)}, concept mean ${
        fixed(concept.mean)}, threshold ${fixed(threshold)}`,
    table: {head: ['From', 'To', 'Random', 'Concept'], rows: binRows(bins)},
    config: {
      type: 'bar',
      data: {datasets: [...curves, ...bars]},
      options: binOptions(
          bins, 'score of examples the direction has not seen', '', {
            y: {beginAtZero: true, grace: '12%', ticks: {display: false}, grid: {display: false}},
            lines: [{axis: 'x', at: threshold, label: 'η*'}]
          },
          ({dataset, dataIndex}) => `${dataset.label}: ${dataset.counts[dataIndex]} examples`)
    },
  });
}

function showInputs(result) {
  const pictures = data.thumbnails[result.class] || {};
  const item = ([input, value]) => {
    const {name = `input ${input}`, uri} = pictures[input] || {};
    const map = mapOf(result, input);
    const number = make('b', {}, `${value > 0 ? '+' : ''}${fixed(value)}`);
    if (map?.tokens && !uri) return make('li', {className: 'text'}, number, colouredWords(name, map));
    const image = uri ? [make('img', {src: uri, alt: `${name}, sensitivity ${fixed(value)}`})] : [];
    const over = map && uri ? overlay(map, `map of ${name}`) : [];
    const picture = make('div', {className: over.length ? 'picture mapped' : 'picture'}, ...image, ...over);
    return make('li', {}, picture, number, make('span', {title: name}, name));
  };
  const list = (title, inputs) => [make('h3', {}, title), make('ol', {}, ...inputs.map(item))];
  byId('inputs').replaceChildren(make(
      'div', {className: 'extremes'}, ...mapSwitch(result, () => showInputs(result)), ...list('Most sensitive inputs', result.most),
      ...list('Least sensitive inputs', result.least)));
}

// What adding the direction to activations did, dose by dose.
function showIntervention({concept, class: name, intervention}) {
  const box = byId('intervention');
  box.hidden = !intervention;
  if (!intervention) return;
  const row = (cells) => make('tr', {}, ...cells.map((text) => make('td', {className: 'number'}, String(text))));
  const rows = ['class', 'random'].filter((base) => base in intervention).flatMap((base) => {
    const {inputs, doses} = intervention[base];
    const of = base === 'class' ? `${inputs} inputs of ${name}` : `${inputs} random inputs`;
    return doses.map(({dose, odd, even, rank}) => row([of, dose, odd, even, `${rank} of ${intervention.classes}`]));
  });
  const heads = ['Added to', 'Dose', `Effect on ${name}, logits`, 'Moving either way', 'Rank among classes'];
  const head = make('tr', {}, ...heads.map((text) => make('th', {scope: 'col'}, text)));
  box.replaceChildren(
      make('h3', {}, 'Added to activations'),
      make(
          'p', {}, `The network run on from this layer with ${concept} added (dose 1: from the random mean to the ` +
              'concept mean) and taken away: half the difference is the effect, and what moving either way changes ' +
              'is the price of unusual activations.'),
      make('div', {className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: 'Intervention'},
          make('table', {}, make('caption', {className: 'sr'}, 'Intervention'), make('thead', {}, head),
              make('tbody', {}, ...rows))));
}

function drawCloser() {
  const result = results[view.closer];
  const field = (name, key) => [name, [...new Set(detailed.map((r) => r[key]))], result[key], (value) => {
    const wanted = {...results[view.closer], [key]: value};
    const index = find(wanted.concept, wanted.class, wanted.layer);
    if (results[index]?.facts) view.closer = index;
    drawCloser();
  }];
  pickers('closer-pickers', [field('Concept', 'concept'), field('Class', 'class'), field('Layer', 'layer')]);
  byId('closer-sentence').replaceChildren(make('strong', {}, `${result.concept}: `), result.sentence);
  for (const row of document.querySelectorAll('#scores tbody tr'))
    row.classList.toggle('chosen', Number(row.dataset.i) === view.closer);
  drawSensitivities(result);
  byId('held-out').hidden = !result.held_out;
  if (result.held_out) drawHeldOut(result);
  showInputs(result);
  showIntervention(result);
  byId('closer-numbers')
      .replaceChildren(...Object.entries(result.facts).map(
          ([term, text]) => make('div', {}, make('dt', {}, term), make('dd', {}, text))));
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
  if (row && results[row.dataset.i].facts) {
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
