"""The web page and the reference of the API: plain files, no build step, nothing from elsewhere."""

from __future__ import annotations

from importlib.resources import files

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.responses import Response

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


def add_page(app: FastAPI) -> None:
    """`/` and `/docs`, and the files they need under `/page/`; all are read once."""
    found = {
        file.name: (file.read_bytes(), TYPES[file.name.rpartition(".")[2]])
        for file in files(__name__).iterdir()
        if file.name.rpartition(".")[2] in TYPES
    }

    def respond(name: str) -> Response:
        if name not in found:
            raise HTTPException(404)
        content, kind = found[name]
        return Response(content, media_type=kind)

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return respond("index.html")

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return respond("docs.html")

    @app.get("/page/{file}", include_in_schema=False)
    async def part(file: str) -> Response:
        return respond(file)
