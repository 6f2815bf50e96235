"""Margin-ranking training (§3.1, Appendix C)."""
