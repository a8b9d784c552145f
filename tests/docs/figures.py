"""Every number that the documentation marks as measured is what docs/measured says, and the check can fail."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import figures  # noqa: E402

PAPER = """{"sections": [{"figures": [{"id": "f", "claims": [{"text": "Least error", "ours": 0.25, "paper": 1.5, "deviation": null}],
 "curves": [{"name": "a: b", "y": [3, 1, 2]}]}]}]}"""


def main() -> int:
    # What text says of a value: rounded as it rounds, in order, as a share or in percent.
    block = "| a | 0.28 | −1.01 | 3,171 times | 27.7 % |"
    assert figures.missing(block, [0.2768, -1.013, 3171.2, 0.2768]) is None
    assert figures.missing(block, [0.29]) == 0.29
    assert figures.missing(block, [-1.013, 0.2768, 0.2768]) == 0.2768  # only once after the other
    assert figures.missing(block, [0.2768, 0.2768, 0.2768]) == 0.2768
    assert figures.missing("none", [1.0]) == 1.0
    assert figures.missing("28", [0.28]) == 0.28  # that would be 28 %
    paper = figures.Paper(PAPER)
    assert [paper.value(path) for path in ("f/Least", "f/paper/Least", "f:a: b:0", "max f:a: b", "last f:a: b")] == [0.25, 1.5, 3, 3, 2]
    assert figures.Log("mean 0.5 (SE 0.1)").value(r"SE ([\d.]+)") == 0.1
    return figures.main(["check"])


if __name__ == "__main__":
    sys.exit(main())
