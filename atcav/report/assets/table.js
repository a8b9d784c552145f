// The table: searched, filtered, sorted, and drawn as far as one looks. Rows of results that are shown closely are in
// the page already, others are made when they are needed.
const rowsAtOnce = 200;
const table = {
  key: '',
  up: true,
  text: '',
  use: '',
  shown: rowsAtOnce
};
const tableBody = byId('scores').tBodies[0];
const tableRows = new Map([...tableBody.rows].map((row) => [Number(row.dataset.i), row]));
const hasLayers = data.names.layer.length > 1;
const signed = (value) => value === null ? 'undefined' : `${value < 0 ? '' : '+'}${fixed(value)}`;
const searched = results.map((r) => `${r.concept} ${r.class} ${r.layer}`.toLowerCase());
// An undefined d is beyond all others, on the side of the logits.
const signedSize = ({effect, logits}) => effect.at ?? Math.sign(logits) * 1e6;
const holdsZero = ({effect: {at, low, high}, use}) => at === null ? use === 'none' : !(low > 0 || high < 0);
// What is for or against comes first, then what is large.
const telling = (r) => (r.use === 'none' ? 0 : 1000) + Math.abs(signedSize(r));

function sortValue(result, key) {
  if (key === 'score') return scoreOf(result) ?? -1;
  if (key === 'effect') return signedSize(result);
  const value = result[key];
  return typeof value === 'object' ? value.at : value;
}

function tableOrder() {
  const order = results.map((_, i) => i);
  if (!table.key) return tableRows.size < results.length ?
      order.sort((a, b) => telling(results[b]) - telling(results[a])) : order;
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
  const number = (value, interval) => cell(
      'number', value, fixed(value), ...(interval ? [' ', make('small', {}, range(interval))] : []));
  const place = `${r.class}${hasLayers ? ` · ${r.layer}` : ''}`;
  const ends = r.effect.low === null ? '' : `${signed(r.effect.low)} to ${signed(r.effect.high)}`;
  const cells = [
    make('th', {scope: 'row'}, make('a', {href: '#closer'}, r.concept), make('small', {className: 'where'}, place)),
    make('td', {className: 'place'}, r.class), ...(hasLayers ? [make('td', {className: 'place'}, r.layer)] : []),
    cell(`number effect${holdsZero(r) ? ' unsure' : ''}`, signedSize(r), signed(r.effect.at), ' ', make('small', {}, ends)),
    ...(r.accuracy ? [cell('number', r.logits, signed(r.logits)), cell('number', r.p, r.p < 0.001 ? '< 0.001' : fixed(r.p, 3))] : []),
    cell('number score', '', make('span', {className: 'value'}), ' ', make('small', {className: 'range'})),
    ...(r.accuracy ? [number(r.posterior)] : []), number(r.tcav.at, [r.tcav.low, r.tcav.high]),
    r.accuracy ? number(r.accuracy.at, [r.accuracy.low, r.accuracy.high]) : cell('number', r.inputs, String(r.inputs)),
    cell('number', r.warnings, r.warnings ? String(r.warnings) : '–')
  ];
  const row = make('tr', {className: r.use}, ...cells);
  row.dataset.i = i;
  return row;
}

function drawTable() {
  const words = table.text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = ordered.filter(
      (i) => (!table.use || results[i].use === table.use) && words.every((word) => searched[i].includes(word)));
  const rows = matching.slice(0, table.shown).map((i) => {
    if (!tableRows.has(i)) tableRows.set(i, madeRow(i));
    return tableRows.get(i);
  });
  tableBody.replaceChildren(...rows);
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

function startTable() {
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
}
