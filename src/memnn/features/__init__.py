"""Φ: from text to features (§3.1, §3.4)."""
