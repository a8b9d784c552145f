"""A second computation of results.json, in NumPy and SciPy, written from the formulas and not from the C++."""
