// Concepts × classes of the chosen layer, of many results: one picture whose points are effects, because a table of so many
// cells would be slow. A point chooses its concept and class for the whole page; the table has the numbers.
const {byId, signed} = page.dom;
const {names: {concept: concepts, class: classes}, results, resultOf, holdsZero, signedSize, telling} = page.results;
const {chosen, choosePlace} = page.chosen;
const box = byId('atlas');
const canvas = byId('atlas-map');
const said = byId('atlas-said');
const mostWidth = 1600;
const mostHeight = 640;

// What is strongest stands first, on both sides.
function ordered(list, key) {
  const largest = new Map(list.map((name) => [name, 0]));
  for (const r of results) largest.set(r[key], Math.max(largest.get(r[key]), telling(r)));
  return [...list].sort((a, b) => largest.get(b) - largest.get(a));
}
const shown = box.hidden ? null : {concepts: ordered(concepts, 'concept'), classes: ordered(classes, 'class')};
const sizes = shown && results.map((r) => Math.abs(signedSize(r))).filter((size) => size < 1e6).sort((a, b) => a - b);
// Beyond it all are as dark: one outlier must not make all others pale.
const reach = shown && Math.max(0.8, sizes[Math.floor(0.99 * (sizes.length - 1))] || 0);
const sideOf = (count, most) => Math.max(1, Math.min(16, Math.floor(most / count)));

function colour(name) {
  const probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  probe.fillRect(0, 0, 1, 1);
  return [...probe.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}

function drawAtlas() {
  if (!shown) return;
  const width = sideOf(shown.classes.length, mostWidth);
  const height = sideOf(shown.concepts.length, mostHeight);
  const [paper, positive, negative, chosenInk] = ['--wash', '--for', '--against', '--ink'].map(colour);
  canvas.width = shown.classes.length * width;
  canvas.height = shown.concepts.length * height;
  const context = canvas.getContext('2d');
  const picture = context.createImageData(canvas.width, canvas.height);
  const {layer} = chosen.result;
  shown.concepts.forEach((concept, row) => shown.classes.forEach((inClass, column) => {
    const r = resultOf({concept, class: inClass, layer});
    const share = r && !holdsZero(r) ? 0.15 + 0.85 * Math.min(1, Math.abs(signedSize(r)) / reach) : 0;
    const [from, to] = [paper, r && signedSize(r) < 0 ? negative : positive];
    const ink = r === chosen.result ? chosenInk : from.map((part, i) => part + share * (to[i] - part));
    for (let y = 0; y < height; ++y) {
      for (let x = 0; x < width; ++x)
        picture.data.set([...ink, 255], 4 * ((row * height + y) * canvas.width + column * width + x));
    }
  }));
  context.putImageData(picture, 0, 0);
  byId('atlas-caption').textContent = `${shown.concepts.length} concepts (down) and ${shown.classes.length} classes (across)${
      layer ? ` at ${layer}` : ''}, the strongest first; grey where the interval holds 0.`;
}

function pointed({offsetX, offsetY}) {
  const column = Math.floor(offsetX / canvas.clientWidth * shown.classes.length);
  const row = Math.floor(offsetY / canvas.clientHeight * shown.concepts.length);
  return resultOf({concept: shown.concepts[row], class: shown.classes[column], layer: chosen.result.layer});
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
