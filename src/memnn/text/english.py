"""What is known of English where there are too few facts to learn it: words that carry little by
themselves, and everyday words that mean the same, in the form of `lemmas`.

Among a few thousand facts "all" or "down" is rare and would weigh like a name. Where there are
millions, how rare a word is says it well enough, and this list is not used.
"""

from __future__ import annotations

from importlib.resources import files

FUNCTION_WORDS = frozenset(
    """
    a about across after again against all almost along already also always am among an and another
    any anybody anyone anything anywhere apart are around as at away back be because become been
    before behind being below besides between both but by call can cannot could did do does done
    down during each either else enough even ever every everybody everyone everything everywhere
    exactly few first folk for from get give go good got had has have he her here him his how i if
    in inside instead into is it its itself just keep kind know last least less let like little long
    look lot made make many may me might mine more most much must my name near need neither never
    next no nobody none nor not nothing now of off often oh on once one only onto or other our ours
    out outside over own part people perhaps person please possible put quite rather really right
    say see several shall she should since so some somebody someone something sometimes somewhere
    soon sort still such sure take tell than that the their them then there these they thing this
    those though through throughout till to today together too toward towards turn type under until
    up upon us use usually very want was way we well were what whatever when where which while who
    whom whose why will with within without word would yes yet you your yours
    """.split()  # noqa: SIM905
)


def synonyms() -> dict[str, str]:
    """Words that stand for others, from `data/synonyms.txt`: the first of a line for the rest."""
    text = (files("memnn") / "data" / "synonyms.txt").read_text(encoding="utf-8")
    groups = [line.split() for line in text.splitlines()]
    return {word: group[0] for group in groups for word in group[1:]}
