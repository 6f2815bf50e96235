"""Talk between several speakers: what a turn is, and how turns are found again."""
