"""A report as one HTML page that needs no other file: Markdown rendered, plots inside."""

from __future__ import annotations

import base64
import html
from pathlib import Path

from markdown_it import MarkdownIt

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff }
table { border-collapse: collapse; margin: 1rem 0; font-size: .9rem }
td, th { border-bottom: 1px solid #ddd; padding: .35rem .7rem; text-align: left }
img { max-width: 100% }
blockquote { border-left: 3px solid #888; margin: 1rem 0; padding-left: 1rem }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 }
  td, th { border-color: #444 } img { background: #fff } }
"""


def as_html(text: str, folder: Path) -> str:
    """The page of a Markdown report; its images are PNG files in the folder."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    for token in tokens:
        for inner in token.children or ():
            if inner.type == "image":
                image = (folder / str(inner.attrs["src"])).read_bytes()
                inner.attrs["src"] = f"data:image/png;base64,{base64.b64encode(image).decode()}"
    title = html.escape(text.splitlines()[0].removeprefix("# "))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style>\n'
        f"{markdown.renderer.render(tokens, markdown.options, {})}</html>\n"
    )
