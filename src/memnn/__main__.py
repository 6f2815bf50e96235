"""`python -m memnn`."""

from memnn.cli import main

main()
