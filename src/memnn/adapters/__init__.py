"""Thin adapters that give a memory to other people's frameworks; each needs its package."""
