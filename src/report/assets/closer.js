// One result closely.
const {byId, make, fixed, signed} = page.dom;
const {data, results, detailed} = page.results;
const {chosen} = page.chosen;
const {baseOptions, colour, drawFigure, faded, lineStyle} = page.charts;
const {mapOf, overlay, colouredWords, mapSwitch} = page.maps;

const edgesOf = ({from, width, counts: [first]}) => [...first, 0].map((_, i) => from + i * width);
const centresOf = (bins) => edgesOf(bins).slice(0, -1).map((edge) => edge + bins.width / 2);
const binRows = (bins) => centresOf(bins).map(
    (_, i) => [fixed(edgesOf(bins)[i]), fixed(edgesOf(bins)[i + 1]), ...bins.counts.map((n) => String(n[i]))]);
const barStyle = {barPercentage: 0.96, categoryPercentage: 1};
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

// Concept examples that look like random ones to a direction fitted without them.
function showWrongSide({concept, wrong_side: wrong}) {
  const box = byId('wrong-side');
  box.hidden = !wrong;
  if (!wrong) return;
  const pictures = data.examples[concept] || {};
  const item = (row) => {
    const {name = `example ${row}`, uri} = pictures[row] || {};
    return make('li', {}, ...(uri ? [make('img', {src: uri, alt: ''})] : []), make('span', {title: name}, name));
  };
  const rest = wrong.count > wrong.rows.length ? ` The ${wrong.rows.length} furthest:` : '';
  const doubt = wrong.encoded ? 'Mislabelled? Ambiguous?' : 'The layer is not shown to encode the concept, so this says little.';
  box.replaceChildren(
      make('h3', {}, 'On the wrong side'),
      make(
          'p', {}, `${wrong.count} of ${wrong.of} held-out examples of ${concept} lie with the random ones along a ` +
              `direction fitted without them. ${doubt}${rest}`),
      make('ol', {}, ...wrong.rows.map(item)));
}

// The lines of evidence side by side, in logits, and what noise does.
function drawNetwork({class: name, concept, network}) {
  byId('network').hidden = !network;
  if (!network) return;
  const point = (row, i) => ({x: i, y: row.at});
  drawFigure('network', {
    title: 'Add it, take it away',
    text: `What happens to the logit of ${name}, with ${+ (100 * data.level).toPrecision(6)}\u00a0% intervals over new inputs ` +
        `and new examples: by gradients at ${name} inputs, when ${concept} is added to random inputs, when ${name} inputs ` +
        'lose what they have of it, and how real examples differ from random ones. A control close to 0 says that ' +
        'taking away just anything does little.',
    label: network.map(({name: line, words}) => `${line} ${words}`).join('; '),
    table: {head: ['', 'Logits', ''], rows: network.map(({name: line, words, note}) => [line, words, note])},
    config: {
      type: 'line',
      data: {
        labels: network.map(({label}) => label),
        datasets: [{
          label: `logits of ${name}`,
          data: network.map(point).map(({y}) => y),
          whiskers: network.map(({low, high}) => [low ?? NaN, high ?? NaN]),
          ...lineStyle(0, 5),
          showLine: false
        }]
      },
      options: baseOptions('', `logits of ${name}`, {
        x: {offset: true, ticks: {autoSkip: false, font: {size: 11}}},
        y: {
          suggestedMin: Math.min(0, ...network.map(({low}) => low ?? 0)),
          suggestedMax: Math.max(0, ...network.map(({high}) => high ?? 0))
        },
        lines: [{axis: 'y', at: 0}],
        legend: false
      })
    },
  });
}

// What adding the direction to activations did, dose by dose: odd is the effect, even the damage.
function drawIntervention({class: name, intervention}) {
  byId('intervention').hidden = !intervention;
  if (!intervention) return;
  const bases = ['class', 'random'].filter((base) => base in intervention);
  const inputs = (base) => `${intervention[base].inputs} ${base === 'class' ? `inputs of ${name}` : 'random inputs'}`;
  const datasets = bases.flatMap((base, i) => {
    const {doses} = intervention[base];
    const line = (label, points, more) =>
        ({label: `${label}, ${inputs(base)}`, data: points, ...lineStyle(i, 4), ...more});
    return [
      line('effect', doses.map(({dose, effect}) => ({x: dose, y: effect.at})),
           {whiskers: doses.map(({effect}) => [effect.low ?? NaN, effect.high ?? NaN])}),
      line('damage', doses.map(({dose, damage}) => ({x: dose, y: damage})), {borderDash: [2, 4], pointStyle: 'rectRot'}),
    ];
  });
  const ends = datasets.flatMap(({whiskers}) => whiskers || []).flat().filter(Number.isFinite);
  drawFigure('intervention', {
    title: 'Added to activations',
    text: `The network run on from this layer with the concept added and taken away, dose 1 being the way from the ` +
        'random mean to the concept’s. Half the difference is the effect; what moving either way changes is the ' +
        'damage done by unusual activations.',
    label: bases.map((base) => `${inputs(base)}: ${
                         intervention[base].doses.map(({dose, odd}) => `dose ${dose} ${odd}`).join(', ')}`).join('; '),
    table: {
      head: ['Added to', 'Dose', `Effect on ${name}, logits`, 'Damage', 'Rank among classes'],
      rows: bases.flatMap((base) => intervention[base].doses.map(
          ({dose, odd, even, rank}) => [inputs(base), String(dose), odd, even, `${rank} of ${intervention.classes}`]))
    },
    config: {
      type: 'line',
      data: {datasets},
      options: baseOptions('dose', `logits of ${name}`, {
        x: {type: 'linear', min: 0, max: 1.1, ticks: {stepSize: 0.5, includeBounds: false}},
        y: {suggestedMin: Math.min(...ends), suggestedMax: Math.max(...ends)},
        lines: [{axis: 'y', at: 0}]
      })
    },
  });
}

function drawCloser() {
  const {result} = chosen;
  byId('closer-sentence').replaceChildren(
      make('strong', {}, `${result.concept}: `),
      result.sentence || `${signed(result.effect.at)} for ${result.class}. This page has a closer look at the ${
          detailed.length} strongest of ${results.length} results; results.json has everything about this one.`);
  byId('closer-truth').hidden = !result.truth;
  byId('closer-truth').textContent = `True: ${result.truth}`;
  byId('closer-parts').hidden = !result.facts;
  if (!result.facts) return;
  drawNetwork(result);
  drawSensitivities(result);
  byId('held-out').hidden = !result.held_out;
  if (result.held_out) drawHeldOut(result);
  showInputs(result);
  showWrongSide(result);
  drawIntervention(result);
  byId('closer-numbers')
      .replaceChildren(...Object.entries(result.facts).map(
          ([term, text]) => make('div', {}, make('dt', {}, term), make('dd', {}, text))));
}
document.addEventListener('place', drawCloser);
