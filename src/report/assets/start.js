// What is chosen for the whole page, the findings, links, paper and clipboard. The last script: it starts the others.
const {byId, make} = page.dom;
const {data, names, results, resultOf} = page.results;
const {chosen, chooseAlpha, choosePlace} = page.chosen;
const {darkScheme, drawn} = page.charts;

const placeOf = ({concept, class: inClass, layer}) => ({concept, class: inClass, layer});
// A select for each field of several values; with one there is nothing to choose. They are made once, so that they keep
// the focus.
const selects = ['concept', 'class', 'layer'].filter((key) => names[key].length > 1).map((key) => {
  const name = key[0].toUpperCase() + key.slice(1);
  const select = make('select', {name}, ...names[key].map((text) => make('option', {value: text, textContent: text})));
  // A concept that is not there for this class or layer is taken where it is.
  select.addEventListener('change', () => choosePlace(
      resultOf({...placeOf(chosen.result), [key]: select.value}) ?? results.find((r) => r[key] === select.value)));
  byId('selector').append(make('label', {}, name, select));
  return [key, select];
});
function showSelected() {
  for (const [key, select] of selects) select.value = chosen.result[key];
}

// Six examples of the concept and six random ones beside each finding of the chosen class.
function showExamples(finding) {
  const concept = data.examples[finding.dataset.concept];
  if (!concept || finding.querySelector('.examples')) return;
  const strip = (label, pictures) => {
    const shown = pictures.filter(({uri}) => uri);
    return shown.length ? [make(
        'div', {}, make('span', {}, label),
        ...shown.map(({name, uri}) => make('img', {src: uri, alt: '', title: name, loading: 'lazy'})))] : [];
  };
  const first = Object.keys(concept).map(Number).sort((a, b) => a - b).slice(0, 6).map((row) => concept[row]);
  finding.querySelector('.words').append(make(
      'div', {className: 'examples'}, ...strip(finding.dataset.concept, first), ...strip('random', data.random)));
}

function drawFindings() {
  const {concept, class: inClass, layer} = chosen.result;
  for (const group of document.querySelectorAll('.of-class')) {
    const chosen = group.dataset.class === inClass;
    group.classList.toggle('other', !chosen);
    if (chosen) group.querySelectorAll('.finding').forEach(showExamples);
  }
  const without = byId('no-findings');
  if (without) without.hidden = Boolean(document.querySelector('.of-class:not(.other)'));
  for (const finding of document.querySelectorAll('.finding'))
    finding.classList.toggle('chosen', finding.dataset.concept === concept && finding.dataset.class === inClass);
  for (const part of document.querySelectorAll('[data-layer]:not(.finding)')) {
    part.classList.toggle('other', part.dataset.layer !== layer);
    part.classList.toggle('chosen', part.dataset.concept === concept);
  }
}

document.addEventListener('place', () => {
  showSelected();
  drawFindings();
});
darkScheme.addEventListener('change', () => document.dispatchEvent(new Event('place')));
// Links within the page scroll and leave the address alone, which keeps what is chosen.
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="#"]');
  const target = link && byId(link.getAttribute('href').slice(1));
  if (!target) return;
  event.preventDefault();
  const row = link.closest('#scores tr');
  if (row && target.id === 'closer') choosePlace(results[row.dataset.i]);
  target.scrollIntoView();
  target.tabIndex = -1;
  target.focus({preventScroll: true});
});
// On paper nothing is folded, and charts have the width of A4.
const folded = [];
window.addEventListener('beforeprint', () => {
  folded.push(...document.querySelectorAll('details:not([open])'));
  for (const part of folded) part.open = true;
  for (const [id, chart] of Object.entries(drawn)) {
    const half = byId(id).closest('.pair') && id !== 'intervention';
    chart.resize(half ? 330 : 680, 208);
  }
});
window.addEventListener('afterprint', () => {
  for (const part of folded.splice(0)) part.open = false;
  for (const chart of Object.values(drawn)) chart.resize();
});
byId('copy').addEventListener('click', async () => {
  getSelection().selectAllChildren(byId('command'));
  const done = navigator.clipboard ?
      await navigator.clipboard.writeText(byId('command').textContent).then(() => true, () => false) :
      document.execCommand('copy');
  byId('copy').textContent = done ? 'Copied' : 'Selected';
});

for (const element of document.querySelectorAll('.scripted')) element.hidden = false;
chooseAlpha(chosen.alpha);
document.dispatchEvent(new Event('place'));
