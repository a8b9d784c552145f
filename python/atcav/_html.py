"""A run or a result as a notebook shows it: the answer first, in the page's colours."""
import html
import math

MOST_ROWS = 24  # at once; the rest can be opened

# The colours of the page (src/report/assets/report.css); words take those of the notebook.
STYLE = """<style>
.atcav { --for: #0a6a9c; --against: #b3450f; --none: #7b828a; font-variant-numeric: tabular-nums; max-width: 72rem; }
.jp-mod-dark .atcav, [data-jp-theme-light="false"] .atcav, .vscode-dark .atcav {
  --for: #62b8e8; --against: #f29660; --none: #8f969e; }
.atcav table { border-collapse: collapse; border: 0; margin: 0.4em 0; }
.atcav th, .atcav td { border: 0; border-bottom: 1px solid #8883; background: none; padding: 0.25em 0.7em; text-align: left;
  vertical-align: middle; white-space: nowrap; color: inherit; }
.atcav td.number, .atcav th.number { text-align: right; }
.atcav td.words { white-space: normal; min-width: 16em; max-width: 34em; }
.atcav .for { color: var(--for); } .atcav .against { color: var(--against); } .atcav .none { color: var(--none); }
.atcav small { opacity: 0.75; }
.atcav svg { display: block; }
.atcav summary { cursor: pointer; }
.atcav ul { margin: 0.3em 0; padding-left: 1.3em; }
</style>"""


def signed(value) -> str:
    if value is None or not math.isfinite(value):
        return "undefined"
    text = f"{value:+.2f}" if abs(value) < 100 else f"{value:+.3g}"
    return text.replace("-", "−") if float(text) != 0 else text[1:]


def p_number(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def measured(result):
    """(name, value, low, high): d, or the logits where the direction was given or random examples do not move them."""
    effect = result.effect
    if effect.d is not None:
        return "d", effect.d, effect.d_low, effect.d_high
    return "logits", effect.logits, effect.low, effect.high


def interval(low, high) -> str:
    return "" if low is None or high is None else f"{signed(low)} to {signed(high)}"


def reach_of(results) -> float:
    return max([0.8 if measured(one)[0] == "d" else 1e-12 for one in results] +
               [1.5 * abs(measured(one)[1]) for one in results])


def _gauge(result, reach: float) -> str:
    """The effect and its interval on a line with 0 in the middle; hollow where the interval holds 0."""
    _, at, low, high = measured(result)
    def place(value):
        return round(70 + 68 * max(-1.0, min(1.0, value / reach)), 1)
    ends = (-reach if low is None else low, reach if high is None else high)
    colour = f"var(--{result.verdict.use})"
    fill = "none" if ends[0] <= 0 <= ends[1] else colour
    return (f'<svg width="140" height="16" role="img" aria-label="{signed(at)}"><line x1="70" x2="70" y1="0" y2="16" '
            f'stroke="#8886"/><line x1="{place(ends[0])}" x2="{place(ends[1])}" y1="8" y2="8" stroke="{colour}" '
            f'stroke-width="2"/><circle cx="{place(at)}" cy="8" r="4" stroke="{colour}" stroke-width="1.5" fill="{fill}"/></svg>')


def _row(result, layers: bool, reach: float) -> str:
    name, at, low, high = measured(result)
    unit = "" if name == "d" else " logits"
    place = "" if not layers else f"<td>{html.escape(result.layer)}</td>"
    accuracy = f"{result.accuracy.held_out:.2f}" if result.accuracy else ""
    return (f'<tr><th>{html.escape(result.concept)}</th><td>{html.escape(result.class_)}</td>{place}'
            f'<td>{_gauge(result, reach)}</td>'
            f'<td class="number {result.verdict.use}">{signed(at)}{unit} <small>{interval(low, high)}</small></td>'
            f'<td class="number">{p_number(result.significance.bonferroni)}</td>'
            f'<td class="number">{result.score:.2f}</td><td class="number">{result.tcav:.2f}</td>'
            f'<td class="number">{accuracy}</td></tr>')


def _table(results, layers: bool, reach: float) -> str:
    head = "".join(f'<th class="{kind}">{name}</th>' for name, kind in (
        ("concept", ""), ("class", ""), *([("layer", "")] if layers else []), ("", ""), ("effect d", "number"),
        ("p corr.", "number"), ("α-TCAV", "number"), ("TCAV", "number"), ("accuracy", "number")))
    if measured(results[0])[0] != "d":
        head = head.replace("effect d", "effect")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(_row(one, layers, reach) for one in results)}</tbody></table>"


def telling(results) -> list:
    """What is clear first, then what is large."""
    return sorted(results, key=lambda one: (one.verdict.use == "none", -abs(measured(one)[1])))


def _opened(title: str, inner: str, count: int) -> str:
    return f"<details><summary>{count} {title}{'' if count == 1 else 's'}</summary>{inner}</details>" if count else ""


def run_html(run) -> str:
    results = list(run)
    layers = len({one.layer for one in results}) > 1
    reach = reach_of(results)
    used = sum(one.verdict.use != "none" for one in results)
    level = run.options["level"]
    lead = f"<p><b>{used} of {len(results)}</b> with a clear effect, corrected for {len(results)} tests ({100 * level:g} %)</p>"
    order = telling(results)
    table = _table(order[:MOST_ROWS], layers, reach)
    rest = order[MOST_ROWS:]
    if len(rest) > 500:
        table += f"<p>{len(rest)} more: <code>run.to_frame()</code>, <code>run.report(folder)</code></p>"
    elif rest:
        table += _opened("more result", _table(rest, layers, reach), len(rest))
    said = order[:6]
    verdicts = "".join(f'<li class="{one.verdict.use}"><b>{html.escape(one.name)}</b>: {html.escape(one.verdict.text)}</li>'
                       for one in said)
    warnings = [f"<b>{html.escape(places)}</b>{html.escape(f', for example {first}') if first else ''}: {html.escape(text)}"
                for text, places, first in run.warnings]
    listed = "".join(f"<li>{one}</li>" for one in warnings)
    notes = "".join(f"<li>{html.escape(one)}</li>" for one in run.notes)
    return (f'{STYLE}<div class="atcav">{lead}{table}<ul>{verdicts}</ul>' +
            _opened("warning", f"<ul>{listed}</ul>", len(warnings)) +
            _opened("note", f"<ul>{notes}</ul>", len(run.notes)) + "</div>")


def result_html(result) -> str:
    warnings = "".join(f"<li>{html.escape(text)}</li>" for text in result.warnings)
    evidence = "".join(f'<li class="{line["says"]}">{html.escape(line["text"])}</li>'
                       for line in result.to_dict()["verdict"]["evidence"])
    return (f'{STYLE}<div class="atcav"><p><b>{html.escape(result.name)}</b>: {html.escape(result.verdict.text)}</p>'
            f'{_table([result], False, reach_of([result]))}<ul>{evidence}</ul>' +
            _opened("warning", f"<ul>{warnings}</ul>", len(result.warnings)) + "</div>")
