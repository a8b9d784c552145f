// Elements of the page, and numbers as texts.
const byId = (id) => document.getElementById(id);

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key in element)
      element[key] = value;
    else
      element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

const fixed = (value, digits = 2) => value.toFixed(digits).replace('-', '−');
const signed = (value) => (value === null ? 'undefined' : `${value < 0 ? '' : '+'}${fixed(value)}`);
const range = ([low, high]) => `${fixed(low)}–${fixed(high)}`;

page.dom = {byId, make, fixed, signed, range};
