// The figures of the reproduction: curves as lines, dashes, points with two standard errors, or bars.
const {byId} = page.dom;
const {baseOptions, colour, darkScheme, drawFigure, faded, seriesColour} = page.charts;
const data = JSON.parse(byId('data').textContent);
const curveColour = (i) => (i % 7 === 6 ? colour('ink') : seriesColour(i % 7));
const short = (value) => (value === null || value === undefined ? '' : Number(value.toPrecision(4)).toString().replace('-', '−'));

function dataset(curve, labelled) {
  const own = curveColour(curve.colour);
  const points = curve.x.map((x, i) => ({ x: labelled ? labelled[x] : x, y: curve.y[i] }));
  const marker = curve.style === 'points' || curve.style === 'joined';
  return {
    type: curve.style === 'bars' ? 'bar' : 'line',
    label: curve.name,
    data: points,
    helper: !curve.listed,
    borderColor: own,
    backgroundColor: curve.style === 'bars' ? faded(own, 0.4) : own,
    borderWidth: curve.style === 'bars' ? 0 : 2,
    borderDash: curve.style === 'dashed' ? [6, 4] : [],
    showLine: curve.style !== 'points',
    pointRadius: marker ? 3.5 : 0,
    pointStyle: marker ? 'circle' : curve.style === 'bars' ? 'rect' : 'line',
    grouped: false,
    barPercentage: 1,
    categoryPercentage: 1,
    order: curve.style === 'bars' ? 2 : marker ? 0 : 1,
    whiskers: curve.error.length ? curve.y.map((y, i) => [y - 2 * curve.error[i], y + 2 * curve.error[i]]) : null,
  };
}

function axisOptions(axis) {
  if (axis.labels.length) return { type: 'category', labels: axis.labels };
  if (axis.logarithmic) {
    const few = (value) => (/^[125]/.test(value.toExponential()) ? short(value) : '');
    return { type: 'logarithmic', ticks: { callback: few } };
  }
  return { type: 'linear' };
}

function drawCurves(figure) {
  const labels = figure.x.labels.length ? figure.x.labels : null;
  const config = {
    type: 'line',
    data: { datasets: figure.curves.map((curve) => dataset(curve, labels)) },
    options: baseOptions(figure.x.title, figure.y.title, {
      x: axisOptions(figure.x),
      y: axisOptions(figure.y),
      lines: figure.marks.map((mark) => ({ axis: 'x', at: mark.x, label: mark.label })),
    }),
  };
  const rows = figure.curves.flatMap((curve) => curve.x.map((x, i) => [
    curve.name, labels ? labels[x] : short(x), short(curve.y[i]), curve.error.length ? short(curve.error[i]) : '']));
  drawFigure(`figure-${figure.id}`, {
    title: figure.title,
    text: figure.caption,
    label: `${figure.title}: ${figure.curves.filter((curve) => curve.listed).map((curve) => curve.name).join(', ')}`,
    table: { head: ['Curve', figure.x.title, figure.y.title, 'Standard error'], rows },
    config,
  });
}

function drawAll() {
  for (const section of data.sections) section.figures.forEach(drawCurves);
}
drawAll();
darkScheme.addEventListener('change', drawAll);
