"""One dialogue (§5.3): networks over stories, what was told and the world; the surest answers."""
