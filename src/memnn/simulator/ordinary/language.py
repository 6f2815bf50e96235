"""A language: a folder of TOML files with its words and its ways to say and to ask.

`words` files have the nouns of every class by paradigm, `language.toml` the paradigms, pronouns and
small answers; every other file has rules (see `grammar`), attributes, or actions.
"""

from __future__ import annotations

import re
import tomllib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from memnn.errors import InputError, UnknownName
from memnn.simulator.ordinary.grammar import Mention, Rules, Template, compiled

THIRDS = 3
_MOST_SALT = 100
_TOLD = ("tell", "change", "stop", "aside", "aside-self")
"""The wordings of an attribute that are statements; the others ask."""
PARTS = ("frames", "questions", "names")
"""What can be held out, besides everything at once."""


@dataclass(frozen=True, slots=True)
class HoldOut:
    """A third of the wordings that stories do without, or of which alone they are made.

    Which third an entry belongs to depends on its own text only, so it stays where it is when
    a file grows.
    """

    what: str = "everything"
    """frames (verbs, sentences), questions (ways to ask), names (all nouns), or everything."""
    third: int = 0
    only: bool = False
    """Test stories: made of the third that is held out; else of the two others."""

    def __post_init__(self) -> None:
        if self.what not in (*PARTS, "everything"):
            raise UnknownName("part to hold out", self.what, (*PARTS, "everything"))
        if self.third not in range(THIRDS):
            raise InputError(f"the third held out is 0, 1 or 2, not {self.third!r}")

    def allows(self, part: str, text: str, salt: int = 0) -> bool:
        if self.what not in (part, "everything"):
            return True
        return (third_of(text, salt) == self.third) == self.only


def third_of(text: str, salt: int = 0) -> int:
    return zlib.crc32((f"{salt} {text}" if salt else text).encode()) % THIRDS


@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """A word of some class with its forms: a name, a place, a thing, a value."""

    word: str
    paradigm: str
    mention: Mention
    first: Mention
    """How it is mentioned when nobody has heard of it: "a ball"."""
    pronouns: tuple[str, ...] = ()
    """Those that may stand for it; a story takes one of them."""
    reach: str = "out"
    """Which wordings of moving fit a place."""
    asked_as: str = ""
    """Of a speaker: who asks about them."""


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """Something that holders have one of at a time: a home, a price, a date."""

    name: str
    of: tuple[str, ...]
    """The classes of nouns that have one."""
    value: str
    """A class of nouns, or `<rule>` for texts that are made up."""
    hints: tuple[str, ...] = ()
    """Attributes that what is told of this one might answer, too: no one asks for them then."""
    plain: bool = True
    """Whether a question may ask for it although nothing was told."""
    is_place: bool = False
    """Whether it might be taken for where somebody is."""


@dataclass(frozen=True, slots=True, eq=False)
class Action:
    """Things done to things: several verbs for the same, and what may be added."""

    name: str
    verbs: str
    """The rule of its verbs."""
    objects: str
    """The class of nouns it is done to."""
    tails: tuple[str, ...]
    """What may be said of it besides: when, where, why …"""


@dataclass(slots=True, eq=False)
class Language:
    """All words and wordings that a story may use."""

    name: str
    nouns: Mapping[str, Sequence[Noun]]
    rules: Rules
    attributes: Sequence[Attribute]
    actions: Sequence[Action]
    pronouns: Mapping[str, Mention]
    answers: Mapping[str, Any]
    persons: Mapping[str, Noun]
    """People that have a class of their own: the speaker, the listener."""
    capitalize: bool = True


def languages() -> list[str]:
    """The languages that come with the simulator."""
    return sorted(folder.name for folder in _data().iterdir() if folder.is_dir())


@cache
def load(language: str | Path = "english", hold_out: HoldOut | None = None) -> Language:
    """A language by its name, or from a folder of one's own."""
    raw, name = _read(language)
    try:
        return _Builder(name, raw, hold_out).build()
    except KeyError as error:
        raise InputError(f"the language '{name}' has no {error} in any of its files") from None


def _data() -> Any:
    return files(__package__).joinpath("data")


@cache
def _read(language: str | Path) -> tuple[dict[str, Any], str]:
    folder: Any = Path(language) if isinstance(language, Path) else _data().joinpath(language)
    if not folder.is_dir():
        raise UnknownName("language", str(language), languages())
    raw: dict[str, Any] = {}
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if not path.name.endswith(".toml"):
            continue
        try:
            _merge(raw, tomllib.loads(path.read_text("utf-8")))
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"{path.name} of {language} is not TOML: {error}") from None
    return raw, folder.name


def _merge(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, dict):
            _merge(into.setdefault(key, {}), value)
        elif isinstance(value, list) and key in into:
            into[key] = [*into[key], *value]
        else:
            into[key] = value


class _Builder:
    """From what the files say to a language, without what is held out."""

    def __init__(self, name: str, raw: Mapping[str, Any], hold_out: HoldOut | None) -> None:
        self._name, self._raw, self._hold_out = name, raw, hold_out
        self._articles = [
            (re.compile(pattern), word) for pattern, word in raw.get("articles", {}).items()
        ]

    def build(self) -> Language:
        raw = self._raw
        rules: dict[str, Sequence[Any]] = {}
        for rule, entries in raw["rules"].items():
            self._add_rule(rules, rule, entries)
        for rule, entries in raw.get("verbs", {}).items():
            rules[f"verb {rule}"] = self._verbs(rule, entries)
        attributes = [self._attribute(rules, *item) for item in raw["attributes"].items()]
        actions = [self._action(rules, *item) for item in raw.get("actions", {}).items()]
        pronouns = {name: self._pronoun(table) for name, table in raw["pronouns"].items()}
        nouns = {name: self._class(name, lists) for name, lists in raw["words"].items()}
        persons = {name: self._person(name) for name in raw.get("persons", {})}
        return Language(
            self._name, nouns, Rules(rules), attributes, actions, pronouns, raw["answers"], persons
        )

    def _kept(self, part: str, entries: Sequence[str]) -> list[str]:
        """The entries that are not held out; of lists too short to divide, all.

        An entry that only names another rule stays: what it stands for is held out there.
        """
        salt = dividing(entries)
        if self._hold_out is None or salt is None:
            return list(entries)
        allows = self._hold_out.allows
        return [entry for entry in entries if _is_name(entry) or allows(part, entry, salt)]

    def _add_rule(self, rules: dict[str, Sequence[Any]], rule: str, entries: Any) -> None:
        if isinstance(entries, dict):
            for name, inner in entries.items():
                self._add_rule(rules, f"{rule}-{name}", inner)
            return
        part = "questions" if rule.startswith("ask") else "frames"
        rules[rule] = self._templates(part, rule, entries)

    def _templates(self, part: str, rule: str, entries: Sequence[str]) -> list[Template]:
        return [compiled(text, f"{self._name}, {rule}") for text in self._kept(part, entries)]

    def _verbs(self, rule: str, entries: str | Sequence[str]) -> list[dict[str, str]]:
        names = self._raw["verb_forms"]
        found = []
        for entry in self._kept("frames", _listed(entries)):
            forms = [form.replace("_", " ") for form in entry.split()]
            if len(forms) != len(names):
                wanted = " ".join(names)
                raise InputError(f"{self._name}: '{entry}' of {rule} must be: {wanted}")
            found.append(dict(zip(names, forms, strict=True)))
        return found

    def _attribute(
        self, rules: dict[str, Sequence[Any]], name: str, table: Mapping[str, Any]
    ) -> Attribute:
        for key, entries in table.items():
            if isinstance(entries, list) and key not in ("of", "hints"):
                part = (
                    "frames"
                    if key in ("tell", "change", "stop", "aside", "aside-self")
                    else "questions"
                )
                rules[f"{name}-{key}"] = self._templates(part, f"{name}-{key}", entries)
        return Attribute(
            name,
            tuple(table["of"]),
            table["value"],
            tuple(table.get("hints", ())),
            table.get("plain", True),
            table.get("place", False),
        )

    def _action(
        self, rules: dict[str, Sequence[Any]], name: str, table: Mapping[str, Any]
    ) -> Action:
        rule = f"verb do-{name}"
        rules[rule] = self._verbs(rule, table["verbs"])
        return Action(name, rule, table["of"], tuple(table.get("tails", ())))

    def _pronoun(self, table: Mapping[str, Any]) -> Mention:
        forms = {key: value for key, value in table.items() if key != "agreement"}
        return Mention({"": forms.get("s", ""), **forms}, table.get("agreement", 0))

    def _class(self, name: str, lists: Mapping[str, str]) -> list[Noun]:
        found: list[Noun] = []
        for paradigm, words in lists.items():
            found += [self._noun(word, paradigm) for word in self._kept("names", _listed(words))]
        return found

    def _noun(self, word: str, paradigm: str) -> Noun:
        table = self._raw["paradigms"][paradigm]
        article = next((word_ for seen, word_ in self._articles if seen.search(word)), "")
        forms: dict[str, str | tuple[str, ...]] = {"n": word}
        for key, pattern in table.items():
            if key in ("agreement", "pronoun", "first", "reach"):
                continue
            options = pattern if isinstance(pattern, list) else [pattern]
            said = tuple(option.format(n=word, a=article) for option in options)
            forms[key] = said[0] if len(said) == 1 else said
        forms.setdefault("", word)
        agreement = table.get("agreement", 0)
        mention = Mention(forms, agreement)
        first = mention
        if "first" in table:
            new = table["first"].format(n=word, a=article)
            first = Mention({**forms, "": new, "o": new}, agreement)
        pronouns = tuple(_listed(table.get("pronoun", "")))
        return Noun(word, paradigm, mention, first, pronouns, table.get("reach", "out"))

    def _person(self, name: str) -> Noun:
        table = dict(self._raw["persons"][name])
        asked_as = table.pop("asked_as", "")
        mention = self._pronoun(table)
        word = str(mention.forms[""])
        return Noun(word, name, mention, mention, asked_as=asked_as)


def dividing(entries: Sequence[str]) -> int | None:
    """With which salt a list has entries of every third: 0 for all but short ones.

    A list of one or two has none, and is never held out.
    """
    texts = {entry for entry in entries if not _is_name(entry)}
    if len(texts) < THIRDS:
        return None
    salts = range(_MOST_SALT)
    return next((s for s in salts if len({third_of(text, s) for text in texts}) == THIRDS), None)


def _is_name(entry: str) -> bool:
    return re.fullmatch(r"<[\w-]+>", entry) is not None


def _listed(words: str | Sequence[str]) -> list[str]:
    if not isinstance(words, str):
        return list(words)
    return [word for part in words.replace("\n", ",").split(",") if (word := part.strip())]
