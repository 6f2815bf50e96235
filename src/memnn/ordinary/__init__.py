"""Ordinary language: a path network that reads words by what they mean."""
