"""Answers as text, and in a notebook answers and statements lit as on the page: a colour a hop.

Everything that was told is escaped: it is shown, never run.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

COLOURS = (("#0b6b62", "#e2f2ee"), ("#a3480b", "#fbeedd"), ("#6b35b8", "#f0e8fb"))
"""Of each hop: its sign and what is behind its fact, as on the page."""
BOX = "font-family:system-ui,sans-serif;line-height:1.5;max-width:46rem"
FAINT = "color:#5c6371;font-size:85%"


def answer_text(answer: Any) -> str:
    """An answer, and below it the facts it rests on."""
    if answer.abstained:
        return f"{answer.text}: {answer.reason}" if answer.reason else str(answer.text)
    named = ["world" if hop.source == "world" else hop.id for hop in answer.evidence]
    facts = [f"\n  [{id}] {hop.text}" for id, hop in zip(named, answer.evidence, strict=True)]
    return str(answer.text) + "".join(facts)


def answer_html(answer: Any) -> str:
    """An answer, how likely it is, and the facts it rests on."""
    strong = "color:#5c6371" if answer.abstained else "font-size:120%;font-weight:650"
    about = [answer.reason] if answer.reason else []
    if answer.probability is not None and not answer.abstained:
        about.append(f"{answer.probability:.0%} likely")
    said = f'<span style="{strong}">{escape(answer.text)}</span>'
    if about:
        said += f' <span style="{FAINT}">{escape(", ".join(about))}</span>'
    hops = () if answer.abstained else answer.evidence
    return f'<div style="{BOX}">{said}{"".join(map(_hop, hops))}</div>'


def _hop(hop: Any) -> str:
    ink, tint = COLOURS[(hop.hop - 1) % len(COLOURS)]
    badge = (
        f"display:inline-block;width:1.5em;text-align:center;border-radius:1em;"
        f"background:{ink};color:#fff;font-size:85%;font-weight:700"
    )
    fact = f"background:{tint};color:#1c2230;padding:2px 8px;border-radius:8px"
    where = "world" if hop.source == "world" else f"[{hop.id}]"
    return (
        f'<div style="margin-top:4px"><span style="{badge}">{hop.hop}</span> '
        f'<span style="{fact}">{escape(_spoken(hop.support))}</span> '
        f'<span style="{FAINT}">{where}</span></div>'
    )


def slots_html(slots: Sequence[Any], of: int) -> str:
    """Statements, the newest last, of so many."""
    cell = 'style="text-align:left;padding:1px 8px"'
    rows = "".join(
        f'<tr><td style="{FAINT}">{slot.id}</td><td {cell}>{escape(_spoken(slot))}</td>'
        f'<td style="{FAINT}">{escape((slot.said or slot.time)[:19].replace("T", " "))}</td></tr>'
        for slot in slots
    )
    shown = f"{of:,} statement{'s' if of != 1 else ''}"
    if len(slots) < of:
        shown += f", the newest {len(slots)} of them"
    return f'<div style="{BOX}"><div style="{FAINT}">{shown}</div><table>{rows}</table></div>'


def _spoken(slot: Any) -> str:
    return slot.text if slot.speaker is None else f"{slot.speaker}: {slot.text}"
