"""A report as one HTML page that needs no other file: Markdown rendered, plots inside."""

from __future__ import annotations

import base64
import html
import re
from pathlib import Path

from markdown_it import MarkdownIt

from memnn.paper.style import dark_name

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff }
table { border-collapse: collapse; margin: 1rem 0; font-size: .9rem }
td, th { border-bottom: 1px solid #ddd; padding: .35rem .7rem; text-align: left }
img { max-width: 100% }
blockquote { border-left: 3px solid #888; margin: 1rem 0; padding-left: 1rem }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 }
  td, th { border-color: #444 } }
"""
IMAGE = re.compile(r'<img src="([^"]*)"([^>]*)>')


def as_html(text: str, folder: Path) -> str:
    """The page of a Markdown report; its images are PNG files in the folder."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    page = str(markdown.renderer.render(tokens, markdown.options, {}))
    page = IMAGE.sub(lambda found: _picture(folder / html.unescape(found[1]), found[2]), page)
    title = html.escape(text.splitlines()[0].removeprefix("# "))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style>\n'
        f"{page}</html>\n"
    )


def _picture(file: Path, rest: str) -> str:
    """The image itself, and the one for dark pages if it is there."""
    light = f'<img src="{_data(file)}"{rest}>'
    if not dark_name(file).exists():
        return light
    dark = f'<source srcset="{_data(dark_name(file))}" media="(prefers-color-scheme: dark)">'
    return f"<picture>{dark}{light}</picture>"


def _data(file: Path) -> str:
    return f"data:image/png;base64,{base64.b64encode(file.read_bytes()).decode()}"
