"""Data files in and out: bAbI text."""
