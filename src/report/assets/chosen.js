// What is chosen in the page: one concept, class and layer, and an α. Views listen to the events 'place' and 'alpha' of
// the document.
const {data, names, results, detailed, resultOf, telling} = page.results;
const {grid} = data;

// The result that is shown. It starts with the strongest of the first class that has one shown closely; the address keeps
// what was chosen: #striped/zebra/layer3.
const ofFirstClass = detailed.filter((r) => r.class === names.class[0]);
const first =
    (ofFirstClass.length ? ofFirstClass : detailed).reduce((best, r) => (telling(r) > telling(best) ? r : best));
const addressOf = (r) => '#' + [r.concept, r.class, r.layer].map(encodeURIComponent).join('/');
function resultInAddress() {
  const parts = location.hash.slice(1).split('/');
  if (parts.length < 2) return undefined;
  try {
    const [concept, inClass, layer = ''] = parts.map(decodeURIComponent);
    return resultOf({concept, class: inClass, layer});
  } catch {
    return undefined;
  }
}
// A choice of α is a stop of the slider (a number) or the name of a score: 'star', 'dagger', 'tcav', '3'. An α of null
// is infinite.
const chosen = {
  result: resultInAddress() ?? first,
  alpha: data.headline
};
// Every choice goes through the address, so that back and forward work.
function choosePlace(result) {
  if (result !== chosen.result) location.hash = addressOf(result);
}
window.addEventListener('hashchange', () => {
  const result = resultInAddress();
  if (!result || result === chosen.result) return;
  chosen.result = result;
  document.dispatchEvent(new Event('place'));
});

const scoreNames = {star: 'α*', dagger: 'α†', tcav: 'TCAV'};
const ownAlpha = () => chosen.alpha === 'star' || chosen.alpha === 'dagger';
function alphaOf(result) {
  if (typeof chosen.alpha === 'number') return grid[chosen.alpha];
  if (chosen.alpha === 'tcav') return null;
  return ownAlpha() ? result.alpha[chosen.alpha] : Number(chosen.alpha);
}
// {at, low, high}. Of results that are not shown closely the page has the headline alone.
function scoreOf({profile, scores, intervals, score}) {
  const {alpha} = chosen;
  if (!profile) return alpha === data.headline ? score : null;
  if (typeof alpha === 'number')
    return {at: profile.score[alpha], low: profile.low[alpha], high: profile.high[alpha]};
  return {at: scores[alpha], low: intervals[alpha][0], high: intervals[alpha][1]};
}
const alphaText = (alpha) => (alpha >= 9.95 ? alpha.toFixed(0) : alpha.toFixed(alpha >= 0.995 ? 1 : 2));
function chooseAlpha(next) {
  chosen.alpha = next;
  document.dispatchEvent(new Event('alpha'));
}

page.chosen = {chosen, choosePlace, chooseAlpha, scoreNames, ownAlpha, alphaOf, scoreOf, alphaText};
