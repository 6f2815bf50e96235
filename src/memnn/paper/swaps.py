"""The twenty tasks with other words for the same: unknown names, another word order, other scripts.

Meaning, supports and questions stay as they are, so nothing should become harder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from memnn.errors import InputError
from memnn.types import Question, Statement, Story

Rewrite = Callable[[str], str]
"""Changes one text of a story: a statement, a question or an answer."""

PEOPLE = (
    "Mary", "John", "Sandra", "Daniel", "Jeff", "Fred", "Bill", "Julie", "Gertrude", "Emily",
    "Jessica", "Winona", "Lily", "Julius", "Brian", "Bernhard", "Greg", "Yann", "Sumit", "Antoine",
    "Jason",
)  # fmt: skip
PLACES = (
    "kitchen", "garden", "hallway", "bathroom", "bedroom", "office", "school", "park", "cinema",
)  # fmt: skip
THINGS = ("football", "milk", "apple", "pajamas")


def rewritten(
    stories: Iterable[Story], text: Rewrite, answer: Rewrite | None = None
) -> list[Story]:
    """Stories with every text rewritten, and every answer like a text or in its own way."""

    def line(old: Statement | Question) -> Statement | Question:
        if isinstance(old, Question) and old.answer is not None:
            return replace(old, text=text(old.text), answer=(answer or text)(old.answer))
        return replace(old, text=text(old.text))

    return [replace(story, lines=tuple(map(line, story.lines))) for story in stories]


# --- names that training never saw -----------------------------------------------------------


def unknown_names(names: Iterable[str]) -> Rewrite:
    """Other names for these, each always by the same, in capitals where it was."""
    new = {name.lower(): _invented(i) for i, name in enumerate(names)}
    pattern = re.compile(rf"\b({'|'.join(new)})\b", re.IGNORECASE)

    def rename(match: re.Match[str]) -> str:
        name = new[match[0].lower()]
        return name.capitalize() if match[0][0].isupper() else name

    return lambda text: pattern.sub(rename, text)


def _invented(i: int) -> str:
    """A word of no language: "zuvabo", "zuvado", …"""
    return f"zuv{'aeiou'[i % 5]}{'bdgklmnprt'[i // 5]}o"


# --- another script --------------------------------------------------------------------------

LATIN = "abcdefghijklmnopqrstuvwxyz"
GEORGIAN = "აბცდეფგჰიჯკლმნოპქრსტუვწხყზ"
VOWELS = "aeiou"
DEVANAGARI = "अबचदएफगहइजकलमनओपखरसतउवथडयझ"
SIGNS = dict(zip(VOWELS, "ाेिोु", strict=True))


def georgian(text: str) -> str:
    """A letter for a letter; the script has no capitals."""
    return text.lower().translate(str.maketrans(LATIN, GEORGIAN))


def devanagari(text: str) -> str:
    """A vowel after a consonant is a sign on it, which is no letter of its own."""
    signed = re.sub(r"(?<=[b-df-hj-np-tv-z])[aeiou]", lambda v: SIGNS[v[0]], text.lower())
    return signed.translate(str.maketrans(LATIN, DEVANAGARI))


# --- another word order ----------------------------------------------------------------------

MOVES = "went back|went|journeyed|travelled|moved"
TAKES = "got|grabbed|took|picked up|left|discarded|dropped|put down"
GIVES = "passed|handed|gave|received"
WHEN = "yesterday|this (?:morning|afternoon|evening)|after that|following that|afterwards|then"
SLOTS = {
    **dict.fromkeys("abc", r"(?:(?:the|a|an) )?(?:box of chocolates|(?:\w+ and )?(?:\w+ )?\w+)"),
    "go": MOVES, "take": TAKES, "give": GIVES, "when": WHEN,
    "d": "north|south|east|west", "side": "left|right", "be": "is|are", "no": "not|no longer",
}  # fmt: skip
FRAMES = """
Where is {a}? = {a} where is ka
Where was {a} before {b}? = {a} {b} before where was ka
What is {a} {d} of? = {a} what of {d} is ka
What is {d} of {a}? = what {a} of {d} is ka
What did {a} give to {b}? = {a} {b} to what give did ka
Who did {a} give {b} to? = {a} who to {b} give did ka
Who {give} {a} to {b}? = who {b} to {a} {give} ka
Who {give} {a}? = who {a} {give} ka
Is {a} in {b}? = {a} {b} in is ka
How many objects is {a} carrying? = {a} how many objects carrying is ka
What is {a} carrying? = {a} what carrying is ka
What is {a} afraid of? = {a} what of afraid is ka
What color is {a}? = {a} what color is ka
Is {a} to the {side} of {b}? = {a} {b} of {side} to is ka
Is {a} above {b}? = {a} {b} above is ka
Is {a} below {b}? = {a} {b} below is ka
Is {a} bigger than {b}? = {a} {b} than bigger is ka
Does {a} fit in {b}? = {a} {b} in fit does ka
How do you go from {a} to {b}? = you {a} from {b} to how go do ka
Where will {a} go? = {a} where go will ka
Why did {a} go to {b}? = {a} {b} to why go did ka
Why did {a} get {b}? = {a} {b} why get did ka
{when} {a} {go} to {b}. = {when} {a} {b} to {go}
{a} {go} to {b} {when}. = {a} {when} {b} to {go}
{a} {go} to {b}. = {a} {b} to {go}
{a} {take} {b} there. = {a} there {b} {take}
{a} {take} {b}. = {a} {b} {take}
{a} {give} {b} to {c}. = {a} {c} to {b} {give}
{a} is {d} of {b}. = {a} {b} of {d} is
{a} is either in {b} or {c}. = {a} either {b} or {c} in is
{a} is {no} in {b}. = {a} {b} in {no} is
{a} is in {b}. = {a} {b} in is
{a} are afraid of {b}. = {a} {b} of afraid are
{a} is to the {side} of {b}. = {a} {b} of {side} to is
{a} is above {b}. = {a} {b} above is
{a} is below {b}. = {a} {b} below is
{a} is bigger than {b}. = {a} {b} than bigger is
{a} fits inside {b}. = {a} {b} inside fits
{a} is {b}. = {a} {b} is
"""


def _frame(line: str) -> tuple[re.Pattern[str], str]:
    english, other = line.split(" = ")
    pattern = re.sub(r"\\{(\w+)\\}", lambda s: f"(?P<{s[1]}>{SLOTS[s[1]]})", re.escape(english))
    return re.compile(pattern, re.IGNORECASE), other


_FRAMES = [_frame(line) for line in FRAMES.strip().splitlines()]


def verb_last(text: str) -> str:
    """bAbI's English in the order of a language with postpositions and the verb at the end.

    It has no articles, asks its questions where the answer would stand, and marks them with "ka".
    """
    for pattern, other in _FRAMES:
        if found := pattern.fullmatch(text.strip()):
            told = other.format(**{slot: _bare(words) for slot, words in found.groupdict().items()})
            return told[0].upper() + told[1:] + text.strip()[-1]
    raise InputError(
        f"another word order is written for bAbI's own sentences, and {text.strip()!r} is not one; "
        "name the folder of its files with --data"
    )


def _bare(words: str) -> str:
    return re.sub(r"\b(?:the|an?) ", "", words, flags=re.IGNORECASE)
