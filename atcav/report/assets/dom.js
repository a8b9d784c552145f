// Elements of the page.
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
