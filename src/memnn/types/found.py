"""What a search found."""

from __future__ import annotations

from memnn.types import FoundSlot


class FoundSlots(list[FoundSlot]):
    """The best first."""

    probability: float | None = None
    """That anything told answers the question; None where the scorer does not say."""
