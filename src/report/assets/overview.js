// Concepts × layers of the chosen class: effects by shade, muted where the interval holds 0. One stop of the Tab key;
// arrows move, Enter chooses.
const {byId, make, signed} = page.dom;
const {names: {concept: concepts, layer: layers}, results, resultOf, holdsZero, telling, overLayers, overLayersName} = page.results;
const {chosen, choosePlace} = page.chosen;
const reach = byId('overview').hidden ? 0 : results.reduce((most, r) => Math.max(most, Math.abs(overLayers(r).at)), 0.8);
const sizeOf = (r) => overLayers(r).at ?? Math.sign(r.logits) * 1e6;
const heat = byId('heat');

const resultAt = (concept, layer) => resultOf({concept, class: chosen.result.class, layer});

function heatCell(concept, layer) {
  const result = resultAt(concept, layer);
  if (!result) return make('td', {}, '');
  const cell = make('td', {
    className: `${sizeOf(result) < 0 ? 'negative' : 'positive'}${holdsZero(result) ? ' unsure' : ''}`,
    tabIndex: result === chosen.result ? 0 : -1,
    title: `${concept}, ${layer}: ${signed(overLayers(result).at)}`
  }, signed(overLayers(result).at));
  cell.dataset.i = result.index;
  cell.style.setProperty('--size', `${Math.round(Math.min(1, Math.abs(sizeOf(result)) / reach) * 70)}%`);
  if (result === chosen.result) cell.setAttribute('aria-current', 'true');
  return cell;
}
// Many concepts stand in the order of what they do to the class.
function heatConcepts() {
  if (concepts.length <= 12) return concepts;
  const largest = new Map(concepts.map((concept) => [
    concept, Math.max(...layers.map((layer) => resultAt(concept, layer)).map((r) => (r ? telling(r) : 0)))
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
  heat.replaceChildren(make(
      'table', {className: 'heat overview'},
      make('caption', {}, `${overLayersName}, ${chosen.result.class}`),
      make('thead', {}, head), make('tbody', {}, ...rows)));
  if (focused) box.querySelector('[aria-current]')?.focus();
}

heat.addEventListener('click', ({target}) => {
  const cell = target.closest('td[data-i]');
  if (cell) choosePlace(results[cell.dataset.i]);
});
heat.addEventListener('keydown', (event) => {
  const cell = event.target.closest('td[data-i]');
  const [down, right] = {ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1]}[event.key] || [0, 0];
  if (!cell) return;
  if (event.key === 'Enter') choosePlace(results[cell.dataset.i]);
  if (!down && !right) return;
  event.preventDefault();
  const rows = [...heat.querySelectorAll('tbody tr')];
  rows[rows.indexOf(cell.parentNode) + down]?.children[cell.cellIndex + right]?.focus();
});
document.addEventListener('place', drawOverview);
