// The data of the page, scores for any choice of α, and the table that shows them.
const data = JSON.parse(byId('data').textContent);
const results = data.results;
const grid = results[0].profile.alpha;
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const fixed = (value, digits = 2) => value.toFixed(digits).replace('-', '−');
const range = (low, high) => `${fixed(low)}–${fixed(high)}`;
const distinct = (key) => [...new Set(results.map((result) => result[key]))];

// The two branches never overflow, as in the library.
function sigmoid(x) {
  if (x >= 0) return 1 / (1 + Math.exp(-x));
  const e = Math.exp(x);
  return e / (1 + e);
}
const step = (x) => (x > 0 ? 1 : x < 0 ? 0 : 0.5);

// α-TCAV: the mean of s(α S/γ). An α of null is infinite.
function alphaTcav(result, alpha) {
  if (alpha === null) return mean(result.sensitivities.map(step));
  return mean(result.sensitivities.map((s) => sigmoid(s * (alpha / result.gamma))));
}

// With the analytic σ each input has a steepness of its own, from its own error: 1/(√τ₁ se).
function analyticScore(result, shrink) {
  const root = Math.sqrt(Math.PI / 8) * shrink;
  return mean(result.sensitivities.map((s, j) => {
    const error = result.sensitivity_errors[j];
    return error > 0 ? sigmoid(s / (root * error)) : step(s);
  }));
}

// A choice is a stop of the slider (a number) or the name of a score: 'star', 'dagger', 'tcav', '3'.
function alphaOf(result, choice) {
  if (typeof choice === 'number') return grid[choice];
  if (choice === 'tcav') return null;
  return choice in result.alpha ? result.alpha[choice] : Number(choice);
}
function scoreOf(result, choice) {
  if (choice === 'tcav') return mean(result.sensitivities.map((s) => (s > 0 ? 1 : 0)));
  if (choice in result.alpha && data.options.sigma === 'analytic') {
    return analyticScore(result, choice === 'star' ? Math.sqrt(result.multi_tcav.runs - 1) : 1);
  }
  return alphaTcav(result, alphaOf(result, choice));
}
function intervalOf(result, choice) {
  if (typeof choice === 'number') return [result.profile.low[choice], result.profile.high[choice]];
  return [result.intervals[choice].low, result.intervals[choice].high];
}

const names = {
  star: 'α*',
  dagger: 'α†',
  tcav: 'TCAV'
};
const alphaText = (alpha) => (alpha >= 9.95 ? alpha.toFixed(0) : alpha.toFixed(alpha >= 0.995 ? 1 : 2));
let choice = data.results[0].interval.of;

function showScores() {
  for (const row of document.querySelectorAll('#scores tbody tr')) {
    const result = results[row.dataset.i];
    const cell = row.querySelector('.score');
    const score = scoreOf(result, choice);
    const [low, high] = intervalOf(result, choice);
    cell.dataset.v = score;
    cell.querySelector('.value').textContent = fixed(score, 3);
    cell.querySelector('.range').textContent = range(low, high);
    const gauge = cell.querySelector('.gauge').style;
    gauge.setProperty('--at', score);
    gauge.setProperty('--low', low);
    gauge.setProperty('--high', high);
  }
}

function showChoice() {
  const slider = byId('alpha-slider');
  const alpha = alphaOf(results[0], choice);
  // Each result has an α* and α† of its own; the thumb stands at the first one's.
  if (typeof choice !== 'number') {
    const log = alpha === null ? Infinity : Math.log10(Math.max(alpha, 1e-9) / grid[0]) * 10;
    slider.value = Math.min(Math.max(Math.round(log), 0), grid.length - 1);
  }
  const own = choice === 'star' || choice === 'dagger';
  const text = choice === 'tcav' ? '∞ (TCAV)' : own ? `${names[choice]}, each its own` : alphaText(alpha);
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

function sortBy(header) {
  const table = byId('scores');
  const column = [...header.parentNode.children].indexOf(header);
  const numeric = header.classList.contains('number');
  const before = header.getAttribute('aria-sort');
  const up = before ? before === 'descending' : !numeric;
  const key = (row) => (numeric ? Number(row.children[column].dataset.v) : row.children[column].textContent);
  const compare = (a, b) => (numeric ? key(a) - key(b) : key(a).localeCompare(key(b)));
  const rows = [...table.tBodies[0].rows].sort((a, b) => (up ? compare(a, b) : compare(b, a)));
  table.tBodies[0].append(...rows);
  for (const other of header.parentNode.children) other.removeAttribute('aria-sort');
  header.setAttribute('aria-sort', up ? 'ascending' : 'descending');
  byId('sorted').textContent = `Sorted by ${header.textContent}, ${up ? 'ascending' : 'descending'}.`;
}

function startScores() {
  for (const header of document.querySelectorAll('#scores thead th')) {
    const button = make('button', {type: 'button', textContent: header.textContent});
    button.addEventListener('click', () => sortBy(header));
    header.replaceChildren(button);
  }
  const keys = Object.keys(results[0].alpha_tcav);
  const order = ['dagger', 'star', ...keys.filter((key) => !(key in names)).sort((a, b) => a - b), 'tcav'];
  for (const key of order) {
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
