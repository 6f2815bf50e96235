"""Measurements: every comparison is made within one run, and reported as a ratio."""
