// Concepts × classes of the chosen layer, of many results: one picture whose points are effects, because a table of so many
// cells would be slow. A point chooses its concept and class for the whole page; the table has the numbers.
const {byId, signed} = page.dom;
const {names, columns, results, resultOf, tellings} = page.results;
const {chosen, choosePlace} = page.chosen;
const box = byId('atlas');
const canvas = byId('atlas-map');
const said = byId('atlas-said');
const mostWidth = 1600;
const mostHeight = 640;

// What is strongest stands first, on both sides: places of the names.
function ordered(key) {
  const largest = new Float64Array(names[key].length);
  columns[key].forEach((place, i) => { largest[place] = Math.max(largest[place], tellings[i]); });
  return names[key].map((_, place) => place).sort((a, b) => largest[b] - largest[a]);
}
const shown = box.hidden ? null : {concepts: ordered('concept'), classes: ordered('class')};
// Beyond it all are as dark: one outlier must not make all others pale.
const sizes = shown && Float64Array.from(columns.effect, Math.abs).filter((size) => size < 1e6).sort();
const reach = shown && Math.max(0.8, sizes[Math.floor(0.99 * (sizes.length - 1))] || 0);
const sideOf = (count, most) => Math.max(1, Math.min(16, Math.floor(most / count)));

function colour(name) {
  const probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  probe.fillRect(0, 0, 1, 1);
  return [...probe.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}

// A point per cell, drawn larger by the style sheet.
function drawAtlas() {
  if (!shown) return;
  canvas.width = shown.classes.length;
  canvas.height = shown.concepts.length;
  canvas.style.width = `${canvas.width * sideOf(canvas.width, mostWidth)}px`;
  canvas.style.height = `${canvas.height * sideOf(canvas.height, mostHeight)}px`;
  const context = canvas.getContext('2d');
  const picture = context.createImageData(canvas.width, canvas.height);
  const [paper, positive, negative, ink] = ['--wash', '--for', '--against', '--ink'].map(colour);
  const [rows, across] = [shown.concepts, shown.classes].map((order) => {
    const places = [];
    order.forEach((place, i) => { places[place] = i; });
    return places;
  });
  const layer = names.layer.indexOf(chosen.result.layer);
  const {effect, effect_low: low, effect_high: high} = columns;
  for (let i = 0; i < results.length; ++i) {
    if (columns.layer[i] !== layer) continue;
    const unsure = !(low[i] > 0 || high[i] < 0);
    const share = unsure ? 0 : 0.15 + 0.85 * Math.min(1, Math.abs(effect[i]) / reach);
    const to = i === chosen.result.index ? ink : effect[i] < 0 ? negative : positive;
    const at = 4 * (rows[columns.concept[i]] * canvas.width + across[columns.class[i]]);
    for (let part = 0; part < 3; ++part)
      picture.data[at + part] = to === ink ? ink[part] : paper[part] + share * (to[part] - paper[part]);
    picture.data[at + 3] = 255;
  }
  context.putImageData(picture, 0, 0);
  byId('atlas-caption').textContent = `${canvas.height} concepts (down) and ${canvas.width} classes (across)${
      names.layer.length > 1 ? ` at ${chosen.result.layer}` : ''}, the strongest first; grey where the interval holds 0.`;
}

function pointed({offsetX, offsetY}) {
  const column = Math.floor(offsetX / canvas.clientWidth * shown.classes.length);
  const row = Math.floor(offsetY / canvas.clientHeight * shown.concepts.length);
  return resultOf({concept: names.concept[shown.concepts[row]], class: names.class[shown.classes[column]], layer: chosen.result.layer});
}
canvas.addEventListener('mousemove', (event) => {
  const r = pointed(event);
  said.textContent = r ? `${r.concept}, ${r.class}: effect ${signed(r.effect.at)}` : '\u00a0';
});
canvas.addEventListener('click', (event) => {
  const r = pointed(event);
  if (r) choosePlace(r);
});
document.addEventListener('place', drawAtlas);
