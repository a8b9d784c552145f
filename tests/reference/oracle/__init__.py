"""A second computation of results.json, in NumPy and SciPy, written from the formulas and not from the C++."""
import sys

try:
    import scipy  # noqa: F401
    import sklearn  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
