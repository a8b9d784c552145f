// The choice of α: a slider, and buttons for the scores that have a name.
const {byId, make} = page.dom;
const {data: {grid}, detailed: [first]} = page.results;
const {chosen, chooseAlpha, scoreNames, ownAlpha, alphaOf, alphaText} = page.chosen;
const slider = byId('alpha-slider');

function showChoice() {
  const alpha = alphaOf(first);
  // Each result has an α* and α† of its own; the thumb stands at the first one's.
  if (typeof chosen.alpha !== 'number') {
    const log = alpha === null ? Infinity : Math.log10(Math.max(alpha, 1e-9) / grid[0]) * 10;
    slider.value = Math.min(Math.max(Math.round(log), 0), grid.length - 1);
  }
  const text = chosen.alpha === 'tcav' ? '∞ (TCAV)' :
      ownAlpha()                       ? `${scoreNames[chosen.alpha]}, each its own` :
                                         alphaText(alpha);
  byId('alpha-now').textContent = text;
  slider.setAttribute('aria-valuetext', text);
  for (const button of byId('alpha-choices').children)
    button.setAttribute('aria-pressed', String(button.dataset.choice === chosen.alpha));
}

const numbers = Object.keys(first.scores).filter((key) => !(key in scoreNames)).sort((a, b) => a - b);
for (const key of ['dagger', 'star', ...numbers, 'tcav'].filter((name) => name in first.scores)) {
  const button = make('button', {type: 'button', textContent: scoreNames[key] || key});
  button.dataset.choice = key;
  button.addEventListener('click', () => chooseAlpha(key));
  byId('alpha-choices').append(button);
}
slider.max = grid.length - 1;
slider.addEventListener('input', () => chooseAlpha(Number(slider.value)));
document.addEventListener('alpha', showChoice);
