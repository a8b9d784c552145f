// Maps over pictures and words: where a sensitivity comes from, and where the concept is found.
const {make, fixed} = page.dom;
const mapKinds = {
  sensitivity: [
    'Sensitivity',
    'Gradient · direction at each position: blue raises the sensitivity, orange lowers it. The positions add up to the ' +
        'number below, exactly.'
  ],
  concept: [
    'Concept',
    'Activation · direction at each position: blue where the input has the concept, orange where it has its opposite.'
  ],
};
let mapChoice = 'sensitivity';
const mapColour = (value) => (value > 0 ? [0, 114, 178] : [213, 94, 0]);
const cellsOf = ([peak, text]) => [...atob(text)].map((c) => (((c.charCodeAt(0) + 128) & 255) - 128) * peak / 127);

// The map of one input in the chosen kind; none where it is switched off or missing. Shades reach as far as the
// largest cell of all inputs of the result.
function mapOf({maps}, input) {
  const all = maps?.[mapChoice];
  if (!all?.[input]) return null;
  const reach = Math.max(...Object.values(all).map(([peak]) => peak));
  return {...maps, cells: cellsOf(all[input]), reach: reach || 1};
}

// Tokens of a picture are its patches, often behind a class token, which is no place.
function gridOf({cells, height, width, tokens}) {
  if (!tokens) return {cells, height, width};
  const side = [cells.length, cells.length - 1].map(Math.sqrt).find((root) => root > 1 && Number.isInteger(root));
  return side && {cells: cells.slice(cells.length - side * side), height: side, width: side};
}

function overlay(map, label) {
  const grid = gridOf(map);
  if (!grid) return [];
  const canvas =
      make('canvas', {className: 'map', width: grid.width, height: grid.height, role: 'img', 'aria-label': label});
  const context = canvas.getContext('2d');
  const pixels = context.createImageData(grid.width, grid.height);
  grid.cells.forEach((value, i) => {
    pixels.data.set([...mapColour(value), Math.round(225 * Math.min(1, Math.abs(value) / map.reach))], 4 * i);
  });
  context.putImageData(pixels, 0, 0);
  return [canvas];
}

// The text's words where they are as many as the tokens: all of them, or those before the padding, with or
// without one at either end. Numbers of tokens otherwise.
function tokenNames(text, cells) {
  const words = text.split(/\s+/).filter(Boolean);
  const used = cells.findLastIndex((value) => value !== 0) + 1;
  if (words.length === cells.length || words.length === used) return words;
  if (words.length + 2 === used) return ['[first]', ...words, '[last]'];
  return cells.slice(0, Math.max(used, 1)).map((_, i) => String(i + 1));
}

function colouredWords(text, {cells, reach}) {
  return make('p', {className: 'tokens'}, ...tokenNames(text, cells).flatMap((word, i) => {
    const shade = Math.min(1, Math.abs(cells[i]) / reach);
    const span = make('span', {title: `${word}: ${fixed(cells[i], 3)}`}, word);
    span.style.backgroundColor = `rgb(${mapColour(cells[i]).join(' ')} / ${(0.55 * shade).toFixed(3)})`;
    return [span, ' '];
  }));
}

// Buttons that switch between the maps a result has, with a sentence on the one that is shown.
function mapSwitch({maps}, redraw) {
  if (!maps) return [];
  const kinds = Object.keys(mapKinds).filter((kind) => kind in maps);
  const button = (kind, text) => {
    const element = make('button', {type: 'button', textContent: text, 'aria-pressed': String(mapChoice === kind)});
    element.dataset.map = kind;
    element.addEventListener('click', () => {
      mapChoice = kind;
      redraw();
      document.querySelector(`[data-map='${kind}']`).focus();
    });
    return element;
  };
  const cells = maps.cell > 1 ? ` Each square holds ${maps.cell} × ${maps.cell} positions.` : '';
  const text = mapKinds[mapChoice] ? mapKinds[mapChoice][1] + cells : 'The inputs as they are.';
  return [
    make(
        'div', {className: 'choices maps-switch', role: 'group', 'aria-label': 'Map over the inputs'},
        make('span', {}, 'Map'), ...kinds.map((kind) => button(kind, mapKinds[kind][0])), button('off', 'Off')),
    make('p', {className: 'note', id: 'map-note'}, text),
  ];
}

page.maps = {mapOf, overlay, colouredWords, mapSwitch};
