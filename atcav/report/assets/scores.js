// The data of the page (report/document.h), the choice of α, and the table that shows the scores.
const data = JSON.parse(byId('data').textContent);
const {grid} = data;
const fixed = (value, digits = 2) => value.toFixed(digits).replace('-', '−');
const range = ([low, high]) => `${fixed(low)}–${fixed(high)}`;

// Every result as an object; those that are shown closely have more (report/document.h).
function unpacked(entry) {
  const [concept, inClass, layer, use, at, low, high, score, from, to, tcav, tcavLow, tcavHigh, warnings, ...rest] =
      entry.row || entry;
  const result = {
    concept: data.names.concept[concept],
    class: data.names.class[inClass],
    layer: data.names.layer[layer],
    use: ['for', 'against', 'none'][use],
    effect: {at, low, high},
    score,
    interval: [from, to],
    tcav: {at: tcav, low: tcavLow, high: tcavHigh},
    warnings
  };
  if (rest.length === 1) return {...result, inputs: rest[0], ...(entry.row ? entry : {})};
  const [logits, p, posterior, ...accuracy] = rest;
  Object.assign(result, {logits, p, posterior, accuracy: {at: accuracy[0], low: accuracy[1], high: accuracy[2]}});
  return entry.row ? {...result, ...entry} : result;
}
const results = data.results.map(unpacked);
const firstDetailed = results.find((result) => result.profile);

// A choice is a stop of the slider (a number) or the name of a score: 'star', 'dagger', 'tcav', '3'. An α of
// null is infinite.
let choice = data.headline;
const names = {
  star: 'α*',
  dagger: 'α†',
  tcav: 'TCAV'
};
const own = () => choice === 'star' || choice === 'dagger';
function alphaOf(result) {
  if (typeof choice === 'number') return grid[choice];
  if (choice === 'tcav') return null;
  return own() ? result.alpha[choice] : Number(choice);
}
// Of results that are not shown closely the page has the headline alone.
function scoreOf({profile, scores, score}) {
  if (!profile) return choice === data.headline ? score : null;
  return typeof choice === 'number' ? profile.score[choice] : scores[choice];
}
function intervalOf({profile, intervals, interval}) {
  if (!profile) return interval;
  return typeof choice === 'number' ? [profile.low[choice], profile.high[choice]] : intervals[choice];
}
const alphaText = (alpha) => (alpha >= 9.95 ? alpha.toFixed(0) : alpha.toFixed(alpha >= 0.995 ? 1 : 2));

function showScores() {
  for (const row of document.querySelectorAll('#scores tbody tr')) {
    const result = results[row.dataset.i];
    const cell = row.querySelector('.score');
    const score = scoreOf(result);
    cell.dataset.v = score ?? '';
    cell.querySelector('.value').textContent = score === null ? '–' : fixed(score, 3);
    cell.querySelector('.range').textContent = score === null ? '' : range(intervalOf(result));
  }
}

function showChoice() {
  const slider = byId('alpha-slider');
  const alpha = alphaOf(firstDetailed);
  // Each result has an α* and α† of its own; the thumb stands at the first one's.
  if (typeof choice !== 'number') {
    const log = alpha === null ? Infinity : Math.log10(Math.max(alpha, 1e-9) / grid[0]) * 10;
    slider.value = Math.min(Math.max(Math.round(log), 0), grid.length - 1);
  }
  const text = choice === 'tcav' ? '∞ (TCAV)' : own() ? `${names[choice]}, each its own` : alphaText(alpha);
  byId('alpha-now').textContent = text;
  slider.setAttribute('aria-valuetext', text);
  for (const button of byId('alpha-choices').children) {
    button.setAttribute('aria-pressed', String(button.dataset.choice === choice));
  }
}

function choose(next) {
  choice = next;
  showChoice();
  showScores();
  document.dispatchEvent(new Event('alpha'));
}

function startScores() {
  startTable();
  const numbers = Object.keys(firstDetailed.scores).filter((key) => !(key in names)).sort((a, b) => a - b);
  for (const key of ['dagger', 'star', ...numbers, 'tcav'].filter((name) => name in firstDetailed.scores)) {
    const button = make('button', {type: 'button', textContent: names[key] || key});
    button.dataset.choice = key;
    button.addEventListener('click', () => choose(key));
    byId('alpha-choices').append(button);
  }
  const slider = byId('alpha-slider');
  slider.max = grid.length - 1;
  slider.addEventListener('input', () => choose(Number(slider.value)));
  choose(choice);
}
