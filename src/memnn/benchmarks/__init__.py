"""Benchmarks that users can run: `memnn bench NAME`."""
