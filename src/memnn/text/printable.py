"""Text for a terminal: what would be obeyed there instead of shown is shown as a sign."""

from __future__ import annotations

SIGNS = {
    **{code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\t\n"},  # ␀ to ␟
    0x7F: "␡",
    **dict.fromkeys(range(0x80, 0xA0), "\N{REPLACEMENT CHARACTER}"),
}
"""Control characters and what stands for each: as many characters as before."""
ESCAPES = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}
"""Those that JSON may hold as they are, and as it may also write them."""


def printable(text: str) -> str:
    """The text with a sign for each control character but tabs and line breaks."""
    return text if text.isprintable() else text.translate(SIGNS)


def printable_json(text: str) -> str:
    """JSON that says the same without a control character."""
    return text if text.isprintable() else text.translate(ESCAPES)
