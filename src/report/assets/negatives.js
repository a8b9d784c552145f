// What if the random examples were others?
const {byId, signed} = page.dom;
const {chosen} = page.chosen;
const {baseOptions, drawFigure, lineStyle} = page.charts;

const percentOf = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
function words({chi2, line, strata}) {
  const parts = line.length ?
      [chi2 === null ?
           'No reweighting of the random examples makes the interval of the effect hold 0.' :
           `The interval of the effect holds 0 once the random examples are reweighted by χ² = ${chi2.toPrecision(2)}.` +
               (chi2 < 2 ? ` Replacing fewer than about ${percentOf(chi2 / 2)} of them by others of them does not do it.` : '')] :
      ['The interval of the effect holds 0 with these random examples already.'];
  const alone = strata.filter(({low, high}) => low <= 0 && high >= 0).map(({name}) => name);
  if (strata.length) parts.push(alone.length && line.length ? `It also holds 0 without ${alone.join(', without ')}.` :
                                                              `${strata.length} parts of the set were left out one at a time.`);
  return parts.join(' ');
}

function drawNegatives() {
  const {negatives, class: name} = chosen.result;
  const shown = Boolean(negatives) && (negatives.line.length > 0 || negatives.strata.length > 0);
  byId('negatives').hidden = !shown;
  if (!shown) return;
  const {line, strata} = negatives;
  const text = words(negatives);
  const end = line.length ? line[line.length - 1].chi2 : 1;
  const places = strata.map((_, i) => end * (1.1 + 0.06 * i));
  const points = (rows, at) => ({
    data: rows.map(({logits}, i) => ({x: at(i), y: logits})),
    whiskers: rows.map(({low, high}) => [low, high]),
  });
  drawFigure('negatives', {
    title: 'What if the random examples were others?',
    text,
    label: text,
    table: {
      head: ['Random examples', `Logits of ${name}`, 'Interval'],
      rows: [
        ...line.map(({chi2, logits, low, high}) => [`reweighted, χ² = ${chi2.toPrecision(2)}`, signed(logits), `${signed(low)} to ${signed(high)}`]),
        ...strata.map(({name: part, rows, logits, low, high}) => [`without ${part} (${rows})`, signed(logits), `${signed(low)} to ${signed(high)}`])
      ]
    },
    config: {
      type: 'line',
      data: {
        datasets: [
          {label: 'reweighted to weaken the effect', ...points(line, (i) => line[i].chi2), ...lineStyle(0, 3)},
          ...(strata.length ? [{label: 'without a part of the set', ...points(strata, (i) => places[i]), ...lineStyle(1, 4), showLine: false}] : [])
        ]
      },
      options: baseOptions('χ² from even weights', `logits of ${name}`, {
        x: {type: 'linear', min: 0},
        y: {suggestedMin: 0, suggestedMax: 0},
        lines: [{axis: 'y', at: 0}, ...(negatives.chi2 > 0 ? [{axis: 'x', at: negatives.chi2, label: 'holds 0'}] : [])],
        legend: strata.length > 0
      })
    },
  });
}
document.addEventListener('place', drawNegatives);
