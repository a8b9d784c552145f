"""Pictures of results, with matplotlib, in the colours of the page (src/report/figures_svg.h)."""
from ._html import interval, measured, signed, telling

INK, MUTED, LINE = "#1c2024", "#5a626b", "#dedbd4"
USE = {"for": "#0a6a9c", "against": "#b3450f", "none": "#7b828a"}
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
MOST_ROWS = 40  # of a chart with a row per result
MOST_CURVES = 6  # in colours; others are grey


def _axes(axes, width=6.4, height=4.0):
    if axes is None:
        from matplotlib import pyplot
        _, axes = pyplot.subplots(figsize=(width, height), layout="constrained")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(LINE)
    axes.tick_params(colors=MUTED, labelcolor=INK)
    axes.grid(color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)
    return axes


def _labels(results) -> list:
    """As short as tells them apart."""
    several = [len({getattr(one, field) for one in results}) > 1 for field in ("class_", "layer")]
    return [one.concept + (f" → {one.class_}" if several[0] else "") + (f" · {one.layer}" if several[1] and one.layer else "")
            for one in results]


def _title(axes, results) -> None:
    classes, layers = ({getattr(one, field) for one in results} for field in ("class_", "layer"))
    parts = [next(iter(names)) for names in (classes, layers) if len(names) == 1]
    axes.set_title(" at ".join(filter(None, parts)), loc="left", fontsize=11, color=INK)


def plot(run, axes, kind):
    kinds = {"effects": effects, "heat": heat, "scores": scores, "profile": profiles, "histogram": histograms}
    results = list(run)
    if kind is None:
        layers = len({one.layer for one in results})
        kind = "heat" if len(results) > MOST_ROWS / 2 and layers > 1 else "effects"
    if kind not in kinds:
        raise ValueError(f"kind is '{kind}', must be {', '.join(kinds)}")
    return kinds[kind](results, axes)


def _shown(results, most=MOST_ROWS):
    """All, or those that tell most, and what to say of the others."""
    if len(results) <= most:
        return results, ""
    return telling(results)[:most], f"the {most} most telling of {len(results)} results"


def _row_each(results, axes, zero, label, draw):
    """A row per result, which draw(axes, place, one, colour) fills; label(rows) names the axis."""
    rows, remark = _shown(results)
    axes = _axes(axes, 7.2, 1.1 + 0.26 * len(rows))
    for place, one in enumerate(rows):
        draw(axes, place, one, USE[one.verdict.use])
    axes.axvline(zero, color=MUTED, linewidth=1)
    axes.set_yticks(range(len(rows)), _labels(rows))
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(label(rows) + (f"; {remark}" if remark else ""), color=MUTED)
    _title(axes, rows)
    return axes


def effects(results, axes):
    """A row per result: the effect with its interval, hollow where that holds 0."""
    def draw(axes, place, one, colour):
        _, at, low, high = measured(one)
        if low is not None and high is not None:
            axes.plot([low, high], [place, place], color=colour, linewidth=1.8, solid_capstyle="round")
        axes.plot([at], [place], "o", color=colour, markerfacecolor=colour if _is_clear(low, high) else "white", markersize=6)
    return _row_each(results, axes, 0, _measure_name, draw)


def _is_clear(low, high) -> bool:
    """Whether there is an interval, and 0 lies outside it."""
    return low is not None and high is not None and (low > 0 or high < 0)


def _measure_name(results) -> str:
    return "effect d, with interval" if measured(results[0])[0] == "d" else "effect in logits, with interval"


def heat(results, axes):
    """Concepts × layers (with classes, if there are several): effects by shade, in brackets where the interval holds 0."""
    several = len({one.class_ for one in results}) > 1
    def row_of(one):
        return f"{one.concept} → {one.class_}" if several else one.concept
    order = telling(results) if len({row_of(one) for one in results}) > 12 else results
    rows = list(dict.fromkeys(map(row_of, order)))[:MOST_ROWS]
    layers = list(dict.fromkeys(one.layer for one in results))
    reach = max(0.8 if measured(results[0])[0] == "d" else 1e-12, *(abs(measured(one)[1]) for one in results))
    axes = _axes(axes, max(4.6, 2.6 + 0.62 * len(layers)), 1.3 + 0.3 * len(rows))
    axes.grid(visible=False)
    from matplotlib.colors import LinearSegmentedColormap
    shades = LinearSegmentedColormap.from_list("atcav", [USE["against"], "#f3c9b4", "white", "#b9d9ea", USE["for"]])
    image = [[float("nan")] * len(layers) for _ in rows]
    places = {name: k for k, name in enumerate(rows)}
    for one in results:
        if row_of(one) not in places:
            continue
        row, column = places[row_of(one)], layers.index(one.layer)
        _, at, low, high = measured(one)
        image[row][column] = at
        clear = _is_clear(low, high)
        if len(layers) <= 24:
            axes.text(column, row, signed(at) if clear else f"({signed(at)})", ha="center", va="center", fontsize=8,
                      color="white" if abs(at) > 0.8 * reach else INK if clear else MUTED)
    drawn = axes.imshow(image, cmap=shades, vmin=-reach, vmax=reach, aspect="auto")
    bar = axes.figure.colorbar(drawn, ax=axes, fraction=0.06, pad=0.03, shrink=min(1.0, 8 / len(rows)))
    bar.set_label(_measure_name(results).split(",")[0], color=MUTED)
    bar.outline.set_visible(False)
    axes.set_yticks(range(len(rows)), rows)
    upright = max(map(len, layers)) * len(layers) < 50
    axes.set_xticks(range(len(layers)), layers, rotation=0 if upright else 45, ha="center" if upright else "right")
    left_out = len({row_of(one) for one in results}) - len(rows)
    _title(axes, results)
    axes.set_xlabel("layer; in brackets: the interval holds 0" + (f"\n{left_out} rows left out" if left_out else ""), color=MUTED)
    return axes


def scores(results, axes):
    """The headline score of each result, a group per layer, with its interval."""
    def draw(axes, place, one, colour):
        axes.plot([one.interval.low, one.interval.high], [place, place], color=colour, linewidth=1.8)
        axes.plot([one.score], [place], "o", color=colour, markersize=6)
    axes = _row_each(results, axes, 0.5, lambda rows: f"α-TCAV, α = {rows[0].interval.of}", draw)
    axes.set_xlim(-0.02, 1.02)
    return axes


def profiles(results, axes):
    axes = _axes(axes)
    lead = results if len(results) <= MOST_CURVES else telling(results)[:MOST_CURVES]
    named = dict(zip(map(id, lead), _labels(lead)))
    for one in results:
        if id(one) not in named:
            axes.semilogx(one.profile.alpha, one.profile.score, color=LINE, linewidth=0.8, zorder=1)
    for k, one in enumerate(lead):
        colour = SERIES[k % len(SERIES)]
        axes.semilogx(one.profile.alpha, one.profile.score, label=named[id(one)], color=colour, zorder=3)
        if one.profile.low and len(lead) <= 3:
            axes.fill_between(one.profile.alpha, one.profile.low, one.profile.high, color=colour, alpha=0.15, zorder=2)
    axes.set(xlabel="α", ylabel="α-TCAV", ylim=(-0.02, 1.02))
    axes.axhline(0.5, color=MUTED, linewidth=1)
    _legend(axes, len(results) - len(lead))
    _title(axes, results)
    return axes


def _legend(axes, others: int) -> None:
    if others:
        axes.plot([], [], color=LINE, label=f"{others} others")
    axes.legend(framealpha=0.6, edgecolor=LINE, fontsize=9)


def histograms(results, axes):
    """Sensitivities over inputs: histograms of a few results, of many a row each: 5 to 95 %, the middle half, the median."""
    if len(results) > 4:
        return _row_each(results, axes, 0, lambda rows: "sensitivity / γ: 5 to 95 %, middle half, median", _spread)
    axes = _axes(axes)
    for k, (one, label) in enumerate(zip(results, _labels(results))):
        _bars(one, axes, SERIES[k % len(SERIES)], label)
    _legend(axes, 0)
    _title(axes, results)
    return axes


def _spread(axes, place, one, colour):
    import numpy
    ends = numpy.percentile(numpy.array(one.sensitivities) / one.gamma, [5, 25, 50, 75, 95]) if one.gamma else [0] * 5
    axes.plot([ends[0], ends[4]], [place, place], color=colour, linewidth=1)
    axes.plot([ends[1], ends[3]], [place, place], color=colour, linewidth=5, solid_capstyle="butt", alpha=0.55)
    axes.plot([ends[2]], [place], "|", color=INK, markersize=9)


def _bars(result, axes, colour, label):
    scaled = [value / result.gamma if result.gamma else 0.0 for value in result.sensitivities]
    axes.hist(scaled, bins=min(30, max(5, len(scaled) // 3)), alpha=0.55, color=colour, label=label)
    axes.axvline(0, color=MUTED, linewidth=1)
    axes.set_xlabel("sensitivity / γ", color=MUTED)
    axes.set_ylabel("class inputs", color=MUTED)


def histogram(result, axes):
    """One result's answer: the effect in the title, its sensitivities below."""
    axes = _axes(axes)
    _bars(result, axes, USE[result.verdict.use], result.name)
    name, at, low, high = measured(result)
    axes.set_title(f"{result.name}: {name} {signed(at)} ({interval(low, high)})", loc="left", fontsize=11, color=INK)
    return axes
