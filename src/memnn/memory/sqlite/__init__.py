"""The embedded store: many named memories in one SQLite file, vectors beside it."""
