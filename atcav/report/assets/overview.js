// Concepts × layers of the chosen class: effects by shade, muted where the interval holds 0. One stop of the Tab key;
// arrows move, Enter chooses.
function heatCell(concept, layer) {
  const index = placeOf({...view, concept, layer});
  if (index === undefined) return make('td', {}, '');
  const result = results[index];
  const cell = make('td', {
    className: `${signedSize(result) < 0 ? 'negative' : 'positive'}${holdsZero(result) ? ' unsure' : ''}`,
    tabIndex: index === view.index ? 0 : -1,
    title: `${concept}, ${layer}: ${signed(result.effect.at)}`
  }, signed(result.effect.at));
  cell.dataset.i = index;
  cell.style.setProperty('--size', `${Math.round(Math.min(1, Math.abs(signedSize(result)) / heatReach) * 70)}%`);
  if (index === view.index) cell.setAttribute('aria-current', 'true');
  return cell;
}
const heatReach = results.reduce((most, r) => Math.max(most, Math.abs(r.effect.at)), 0.8);
const tellingAt = (place) => (placeOf(place) === undefined ? 0 : telling(results[placeOf(place)]));
// Many concepts stand in the order of what they do to the class.
function heatConcepts() {
  if (concepts.length <= 12) return concepts;
  const largest = new Map(concepts.map((concept) => [
    concept, Math.max(...layers.map((layer) => tellingAt({...view, concept, layer})))
  ]));
  return [...concepts].sort((a, b) => largest.get(b) - largest.get(a));
}

function drawOverview() {
  const box = byId('overview');
  if (box.hidden) return;
  const focused = box.contains(document.activeElement);
  const head = make('tr', {}, make('td'), ...layers.map((layer) => make('th', {scope: 'col'}, layer)));
  const rows = heatConcepts().map(
      (concept) => make('tr', {}, make('th', {scope: 'row'}, concept), ...layers.map((layer) => heatCell(concept, layer))));
  byId('heat').replaceChildren(make(
      'table', {className: 'heat overview'},
      make('caption', {}, `Effect ${'accuracy' in results[0] ? 'd' : 'in logits'} on ${view.class}`),
      make('thead', {}, head), make('tbody', {}, ...rows)));
  if (focused) box.querySelector('[aria-current]')?.focus();
}

byId('heat').addEventListener('click', ({target}) => {
  const index = target.closest('td[data-i]')?.dataset.i;
  if (index) choosePlace(Number(index));
});
byId('heat').addEventListener('keydown', (event) => {
  const cell = event.target.closest('td[data-i]');
  const [down, right] = {ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1]}[event.key] || [0, 0];
  if (!cell) return;
  if (event.key === 'Enter') choosePlace(Number(cell.dataset.i));
  if (!down && !right) return;
  event.preventDefault();
  const rows = [...byId('heat').querySelectorAll('tbody tr')];
  rows[rows.indexOf(cell.parentNode) + down]?.children[cell.cellIndex + right]?.focus();
});
