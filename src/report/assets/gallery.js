// Maps over the patches of found concepts: where along the candidate's direction each position lies.
const {byId, make} = page.dom;
const {overlay} = page.maps;
const galleryMaps = JSON.parse(byId('data').textContent).maps;
const cellsAlong = ([peak, text]) => [...atob(text)].map((c) => (((c.charCodeAt(0) + 128) & 255) - 128) * peak / 127);
let galleryShown = false;

function drawGallery() {
  for (const figure of document.querySelectorAll('[data-patch]')) {
    figure.querySelector('.map')?.remove();
    const map = galleryMaps[figure.dataset.patch];
    if (!map || !galleryShown) continue;
    const over = overlay({...map, cells: cellsAlong(map.cells), reach: 1.5}, 'where the candidate is found');
    figure.querySelector('.picture').append(...over);
    figure.querySelector('.picture').classList.add('mapped');
  }
  if (!galleryShown)
    for (const picture of document.querySelectorAll('.mapped')) picture.classList.remove('mapped');
}

if (Object.keys(galleryMaps).length) {
  const button = make('button', {type: 'button', id: 'gallery-maps', 'aria-pressed': 'false'}, 'Show maps');
  button.addEventListener('click', () => {
    galleryShown = !galleryShown;
    button.setAttribute('aria-pressed', String(galleryShown));
    button.textContent = galleryShown ? 'Hide maps' : 'Show maps';
    drawGallery();
  });
  byId('gallery-switch').append(button);
}

page.gallery = {drawGallery};
