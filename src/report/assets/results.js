// The results of the page (report/document.h), each as an object that looks its fields up in columns when they are asked
// for: there may be hundreds of thousands.
const {byId} = page.dom;

const data = JSON.parse(byId('data').textContent);
const {names} = data;

// By plain loops: there may be hundreds of thousands.
function filled(array, value) {
  for (let i = 0; i < array.length; ++i) array[i] = value(i);
  return array;
}
function bytesOf(text) {
  const letters = atob(text);
  return filled(new Uint8Array(letters.length), (i) => letters.charCodeAt(i));
}
// IEEE half precision, little endian.
function halvesIn(bytes, unit) {
  const known = filled(new Float64Array(1 << 16), (bits) => {
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    const size = exponent === 31 ? NaN : exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24;
    return unit * (bits >> 15 ? -size : size);
  });
  return filled(new Float64Array(bytes.length / 2), (i) => known[bytes[2 * i] + 256 * bytes[2 * i + 1]]);
}
// Columns of many results are packed: as places that repeat, in a list of all values, or in half precision.
function unpacked(column) {
  if (Array.isArray(column)) return column;
  const {length, run, period, values, places, halves, unit} = column;
  if (run) return filled(new Int32Array(length), (i) => Math.floor(i / run) % period);
  if (!places) return halvesIn(bytesOf(halves), unit);
  const bytes = bytesOf(places);
  const numbers = values.map((value) => value ?? NaN);
  return filled(new Float64Array(length), (i) => numbers[bytes[i]]);
}
const columns = Object.fromEntries(Object.entries(data.columns).map(([key, column]) => [key, unpacked(column)]));
const hasExamples = 'accuracy' in columns;

const valueAt = (key, i) => (Number.isNaN(columns[key][i]) ? null : columns[key][i]);
const nameAt = (key, i) => names[key][columns[key][i]];
const measuredAt = (key, i) => ({at: valueAt(key, i), low: valueAt(`${key}_low`, i), high: valueAt(`${key}_high`, i)});

class Result {
  constructor(index) {
    this.index = index;
    if (index in data.details) Object.assign(this, data.details[index]);
  }
  get concept() { return nameAt('concept', this.index); }
  get class() { return nameAt('class', this.index); }
  get layer() { return nameAt('layer', this.index); }
  get use() { return nameAt('use', this.index); }
  get effect() { return measuredAt('effect', this.index); }
  get score() { return measuredAt('score', this.index); }
  get tcav() { return measuredAt('tcav', this.index); }
  get p() { return valueAt('p', this.index); }
  get warnings() { return valueAt('warnings', this.index); }
  get inputs() { return valueAt('inputs', this.index); }
  // Those that need examples behind the CAV.
  get logits() { return hasExamples ? valueAt('logits', this.index) : undefined; }
  get posterior() { return hasExamples ? valueAt('posterior', this.index) : undefined; }
  get accuracy() { return hasExamples ? measuredAt('accuracy', this.index) : undefined; }
  get standardised() {
    return hasExamples && valueAt('standardised', this.index) !== null ? measuredAt('standardised', this.index) : undefined;
  }
}
const count = columns.concept.length;
const results = filled(new Array(count), (i) => new Result(i));
const detailed = results.filter((r) => r.profile);

const placeOf = (concept, inClass, layer) => (concept * names.class.length + inClass) * names.layer.length + layer;
const places = new Map();
for (let i = 0; i < count; ++i) places.set(placeOf(columns.concept[i], columns.class[i], columns.layer[i]), i);
const numbers = Object.fromEntries(
    ['concept', 'class', 'layer'].map((key) => [key, new Map(names[key].map((name, i) => [name, i]))]));
// The result of that concept, class and layer; undefined where there is none.
const resultOf = (wanted) =>
    results[places.get(placeOf(numbers.concept.get(wanted.concept), numbers.class.get(wanted.class), numbers.layer.get(wanted.layer)))];

// An undefined d is beyond all others, on the side of the logits.
const signedSize = ({effect, logits}) => effect.at ?? Math.sign(logits) * 1e6;
const holdsZero = ({effect: {at, low, high}, use}) => (at === null ? use === 'none' : !(low > 0 || high < 0));
// What is for or against comes first, then what is large.
const telling = (r) => (r.use === 'none' ? 0 : 1000) + Math.abs(signedSize(r));

const tellings = filled(new Float64Array(count), (i) => telling(results[i]));
// Places of results, the strongest first: sorted as numbers, with the place behind four digits.
const spread = 2 ** Math.ceil(Math.log2(count + 1));
const strongestFirst =
    Array.from(filled(new Float64Array(count), (i) => i - Math.round(tellings[i] * 1e4) * spread).sort(), (key) => ((key % spread) + spread) % spread);

// What layers are compared by: d is measured in another unit at each.
const inOneUnit = results.every((r) => r.standardised);
const overLayers = (r) => (inOneUnit ? r.standardised : r.effect);
const overLayersName = inOneUnit ? 'Effect in sd of the logit' : hasExamples ? 'Effect d' : 'Effect in logits';

page.results = {
  data, names, columns, hasExamples, results, detailed, resultOf, signedSize, holdsZero, telling, tellings, strongestFirst,
  overLayers, overLayersName
};
