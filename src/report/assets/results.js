// The results of the page (report/document.h), each as an object.
const {byId} = page.dom;

const data = JSON.parse(byId('data').textContent);
const {names, columns} = data;
const hasExamples = 'accuracy' in columns;

function resultAt(i) {
  const named = (key) => names[key][columns[key][i]];
  const measured = (key) => ({at: columns[key][i], low: columns[`${key}_low`][i], high: columns[`${key}_high`][i]});
  const result = {
    index: i,
    concept: named('concept'),
    class: named('class'),
    layer: named('layer'),
    use: named('use'),
    effect: measured('effect'),
    score: measured('score'),
    tcav: measured('tcav'),
    p: columns.p[i],
    warnings: columns.warnings[i],
    inputs: columns.inputs[i],
    ...data.details[i]
  };
  if (!hasExamples) return result;
  const {logits, posterior} = columns;
  if (columns.standardised[i] !== null) result.standardised = measured('standardised');
  return {...result, logits: logits[i], posterior: posterior[i], accuracy: measured('accuracy')};
}
const results = columns.concept.map((_, i) => resultAt(i));
const detailed = results.filter((r) => r.profile);

const placeKey = (r) => JSON.stringify([r.concept, r.class, r.layer]);
const places = new Map(results.map((r) => [placeKey(r), r]));
// The result of that concept, class and layer; undefined where there is none.
const resultOf = (wanted) => places.get(placeKey(wanted));

// An undefined d is beyond all others, on the side of the logits.
const signedSize = ({effect, logits}) => effect.at ?? Math.sign(logits) * 1e6;
const holdsZero = ({effect: {at, low, high}, use}) => (at === null ? use === 'none' : !(low > 0 || high < 0));
// What is for or against comes first, then what is large.
const telling = (r) => (r.use === 'none' ? 0 : 1000) + Math.abs(signedSize(r));

// What layers are compared by: d is measured in another unit at each.
const inOneUnit = results.every((r) => r.standardised);
const overLayers = (r) => (inOneUnit ? r.standardised : r.effect);
const overLayersName = inOneUnit ? 'Effect in sd of the logit' : hasExamples ? 'Effect d' : 'Effect in logits';

page.results = {data, names, hasExamples, results, detailed, resultOf, signedSize, holdsZero, telling, overLayers, overLayersName};
