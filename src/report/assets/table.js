// The table: searched, filtered, sorted, and drawn as far as one looks. Rows of results that are shown closely are in
// the page already, others are made when they are needed.
const {byId, make, fixed, signed, range} = page.dom;
const {names, columns, results, signedSize, holdsZero, strongestFirst} = page.results;
const {chosen, scoreOf} = page.chosen;
const rowsAtOnce = 200;
const table = {key: '', up: true, text: '', use: '', shown: rowsAtOnce};
const body = byId('scores').tBodies[0];
const made = new Map([...body.rows].map((row) => [Number(row.dataset.i), row]));
const hasLayers = names.layer.length > 1;
// Which names hold a word: a word has no blanks, so it lies within one of them.
function holding(word) {
  const of = (key) => names[key].map((name) => name.toLowerCase().includes(word));
  const [concept, inClass, layer] = ['concept', 'class', 'layer'].map(of);
  return (i) => concept[columns.concept[i]] || inClass[columns.class[i]] || layer[columns.layer[i]];
}

function sortValue(result, key) {
  if (key === 'score') return scoreOf(result)?.at ?? -1;
  if (key === 'effect') return signedSize(result);
  const value = result[key];
  return typeof value === 'object' ? value.at : value;
}

function tableOrder() {
  const order = results.map((_, i) => i);
  if (!table.key) return made.size === results.length ? order : strongestFirst;
  // Each value once: sorting asks for it many times.
  const values = results.map((result) => sortValue(result, table.key));
  const compare = typeof values[0] === 'string' ? (a, b) => values[a].localeCompare(values[b]) :
                                                  (a, b) => values[a] - values[b];
  return order.sort((a, b) => (table.up ? compare(a, b) : compare(b, a)));
}
let ordered = tableOrder();

function madeRow(i) {
  const r = results[i];
  const cell = (className, value, ...children) => {
    const element = make('td', {className}, ...children);
    element.dataset.v = value;
    return element;
  };
  const measured = ({at, low, high}) => cell('number', at, fixed(at), ' ', make('small', {}, range([low, high])));
  const place = `${r.class}${hasLayers ? ` · ${r.layer}` : ''}`;
  const ends = r.effect.low === null ? '' : `${signed(r.effect.low)} to ${signed(r.effect.high)}`;
  const cells = [
    make('th', {scope: 'row'}, make('a', {href: '#closer'}, r.concept), make('small', {className: 'where'}, place)),
    make('td', {className: 'place'}, r.class), ...(hasLayers ? [make('td', {className: 'place'}, r.layer)] : []),
    cell(`number effect${holdsZero(r) ? ' unsure' : ''}`, signedSize(r), signed(r.effect.at), ' ', make('small', {}, ends)),
    ...(r.accuracy ? [cell('number', r.logits, signed(r.logits))] : []),
    cell('number', r.p, r.p < 0.001 ? '< 0.001' : fixed(r.p, 3)),
    cell('number score', '', make('span', {className: 'value'}), ' ', make('small', {className: 'range'})),
    ...(r.accuracy ? [cell('number', r.posterior, fixed(r.posterior))] : []), measured(r.tcav),
    r.accuracy ? measured(r.accuracy) : cell('number', r.inputs, String(r.inputs)),
    cell('number', r.warnings, r.warnings ? String(r.warnings) : '–')
  ];
  const row = make('tr', {className: r.use}, ...cells);
  row.dataset.i = i;
  return row;
}

function showScores() {
  for (const row of body.rows) {
    const cell = row.querySelector('.score');
    const score = scoreOf(results[row.dataset.i]);
    cell.dataset.v = score?.at ?? '';
    cell.querySelector('.value').textContent = score ? fixed(score.at, 3) : '–';
    cell.querySelector('.range').textContent = score ? range([score.low, score.high]) : '';
  }
}

function markChosen() {
  for (const row of body.rows) row.classList.toggle('chosen', Number(row.dataset.i) === chosen.result.index);
}

function drawTable() {
  const words = table.text.toLowerCase().split(/\s+/).filter(Boolean).map(holding);
  const matching = ordered.filter(
      (i) => (!table.use || results[i].use === table.use) && words.every((holds) => holds(i)));
  const rows = matching.slice(0, table.shown).map((i) => {
    if (!made.has(i)) made.set(i, madeRow(i));
    return made.get(i);
  });
  body.replaceChildren(...rows);
  byId('more').hidden = rows.length === matching.length;
  byId('found').textContent = rows.length === results.length ?
      `${results.length} results` :
      `${rows.length < matching.length ? `${rows.length} shown of ` : ''}${matching.length} of ${results.length} results`;
  showScores();
  markChosen();
}

function sortBy(header) {
  const before = header.getAttribute('aria-sort');
  table.key = header.dataset.key;
  table.up = before ? before === 'descending' : !header.classList.contains('number');
  for (const other of header.parentNode.children) other.removeAttribute('aria-sort');
  header.setAttribute('aria-sort', table.up ? 'ascending' : 'descending');
  ordered = tableOrder();
  drawTable();
  byId('sorted').textContent = `Sorted by ${header.textContent}, ${table.up ? 'ascending' : 'descending'}.`;
}

for (const header of document.querySelectorAll('#scores thead th')) {
  const button = make('button', {type: 'button', textContent: header.textContent});
  button.addEventListener('click', () => sortBy(header));
  header.replaceChildren(button);
}
const change = (id, key) => byId(id).addEventListener('input', () => {
  table[key] = byId(id).value;
  table.shown = rowsAtOnce;
  drawTable();
});
change('search', 'text');
change('verdicts', 'use');
byId('more').addEventListener('click', () => {
  table.shown += rowsAtOnce;
  drawTable();
});
drawTable();
document.addEventListener('alpha', showScores);
document.addEventListener('place', markChosen);
