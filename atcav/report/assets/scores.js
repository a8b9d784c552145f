// The data of the page (report/document.h), the choice of α, and the table that shows the scores.
const data = JSON.parse(byId('data').textContent);
const {results, grid} = data;
const fixed = (value, digits = 2) => value.toFixed(digits).replace('-', '−');
const range = ([low, high]) => `${fixed(low)}–${fixed(high)}`;
const distinct = (key) => [...new Set(results.map((result) => result[key]))];

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
const scoreOf = ({profile, scores}) => (typeof choice === 'number' ? profile.score[choice] : scores[choice]);
const intervalOf = ({profile, intervals}) =>
    (typeof choice === 'number' ? [profile.low[choice], profile.high[choice]] : intervals[choice]);
const alphaText = (alpha) => (alpha >= 9.95 ? alpha.toFixed(0) : alpha.toFixed(alpha >= 0.995 ? 1 : 2));

function showScores() {
  for (const row of document.querySelectorAll('#scores tbody tr')) {
    const result = results[row.dataset.i];
    const cell = row.querySelector('.score');
    cell.dataset.v = scoreOf(result);
    cell.querySelector('.value').textContent = fixed(scoreOf(result), 3);
    cell.querySelector('.range').textContent = range(intervalOf(result));
  }
}

function showChoice() {
  const slider = byId('alpha-slider');
  const alpha = alphaOf(results[0]);
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
  const numbers = Object.keys(results[0].scores).filter((key) => !(key in names)).sort((a, b) => a - b);
  for (const key of ['dagger', 'star', ...numbers, 'tcav'].filter((name) => name in results[0].scores)) {
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
