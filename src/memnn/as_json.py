"""The promised JSON shapes of memories and answers; more keys may come, none go."""

from __future__ import annotations

from typing import Any

from memnn.types import Answer, Comparison, Hop, Slot


def slot_json(slot: Slot) -> dict[str, Any]:
    return {"id": slot.id, "text": slot.text, "time": slot.time}


def answer_json(answer: Answer) -> dict[str, Any]:
    return {
        "answer": answer.text,
        "score": answer.score,
        "probability": answer.probability,
        "abstained": answer.abstained,
        "reason": answer.reason,
        "evidence": [_hop_json(hop) for hop in answer.evidence],
        "source": answer.source,
        "others": [
            {
                "source": other.source,
                "answer": other.text,
                "score": other.score,
                "probability": other.probability,
            }
            for other in answer.others
            if not other.abstained
        ],
    }


def _hop_json(hop: Hop) -> dict[str, Any]:
    source = hop.source
    return {
        "hop": hop.hop,
        **_found_json(hop.support, source),
        "score": hop.score,
        "decisive": hop.decisive and _comparison_json(hop.decisive, source),
        "source": source,
    }


def _found_json(slot: Slot, source: str) -> dict[str, Any]:
    """What was not told has no id: nobody shall take it for a statement's."""
    return slot_json(slot) | ({"id": None} if source == "world" else {})


def _comparison_json(comparison: Comparison, source: str) -> dict[str, Any]:
    return {
        "against": {**_found_json(comparison.against, source), "score": comparison.against_score},
        "content": comparison.content,
        "write_time": comparison.write_time,
        "margin": comparison.margin,
        "terms": dict(comparison.terms),
    }
