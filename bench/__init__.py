"""Benchmarks on real data and limits, as ratios within one run."""
