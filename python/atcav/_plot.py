"""Pictures of results, with matplotlib."""


def _axes(axes):
    if axes is None:
        from matplotlib import pyplot
        _, axes = pyplot.subplots()
    return axes


def plot(run, axes, kind):
    kinds = {"scores": scores, "profile": profiles, "histogram": histograms}
    if kind not in kinds:
        raise ValueError(f"kind is '{kind}', must be {', '.join(kinds)}")
    axes = kinds[kind](run, _axes(axes))
    axes.legend(framealpha=0.5)  # intervals may lie behind it
    return axes


def scores(run, axes):
    """A group per layer, a point with its interval per concept and class."""
    layers = list(dict.fromkeys(one.layer for one in run))
    tests = list(dict.fromkeys((one.concept, one.class_) for one in run))
    width = 0.8 / len(tests)
    for k, (concept, class_name) in enumerate(tests):
        own = [one for one in run if (one.concept, one.class_) == (concept, class_name)]
        x = [layers.index(one.layer) + (k + 0.5) * width - 0.4 for one in own]
        y = [one.score for one in own]
        # A bootstrapped interval need not hold the score.
        below = [max(0, one.score - one.interval.low) for one in own]
        above = [max(0, one.interval.high - one.score) for one in own]
        axes.errorbar(x, y, [below, above], fmt="o", capsize=3, label=f"{concept} → {class_name}")
    axes.axhline(0.5, color="grey", linewidth=1)
    axes.set(xticks=range(len(layers)), xticklabels=layers, ylim=(-0.02, 1.02), ylabel="score", xlabel="layer")
    return axes


def profiles(run, axes):
    for one in run:
        line, = axes.semilogx(one.profile.alpha, one.profile.score, label=one.name)
        if one.profile.low:
            axes.fill_between(one.profile.alpha, one.profile.low, one.profile.high, color=line.get_color(), alpha=0.2)
    axes.set(xlabel="α", ylabel="α-TCAV", ylim=(-0.02, 1.02))
    return axes


def histograms(run, axes):
    for one in run:
        histogram(one, axes)
    return axes


def histogram(result, axes):
    axes = _axes(axes)
    scaled = [value / result.gamma for value in result.sensitivities]
    axes.hist(scaled, bins=min(30, max(5, len(scaled) // 3)), alpha=0.6, label=result.name)
    axes.axvline(0, color="grey", linewidth=1)
    axes.set(xlabel="sensitivity / γ", ylabel="class inputs")
    return axes
