"""One dialogue (§5.3): networks over stories, over what was told and over the world's facts; the surest answers."""
