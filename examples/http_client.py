"""Talk to `memnn serve` with the standard library alone.

memnn serve & python examples/http_client.py http://127.0.0.1:8080
"""

from __future__ import annotations

import json
import sys
from typing import Any
from urllib.request import Request, urlopen


class Memory:
    """One named memory of a server."""

    def __init__(self, url: str, name: str = "main", token: str = "") -> None:
        self.base = f"{url.rstrip('/')}/v1/memories/{name}"
        self.headers = {"Content-Type": "application/json"}
        if token:
            self.headers["Authorization"] = f"Bearer {token}"

    def tell(self, text: str) -> list[dict[str, Any]]:
        return self._post("statements", {"text": text})["statements"]

    def ask(self, question: str, as_of: int | str | None = None) -> dict[str, Any]:
        return self._post("questions", {"text": question, "as_of": as_of})

    def _post(self, what: str, body: dict[str, Any]) -> dict[str, Any]:
        request = Request(f"{self.base}/{what}", json.dumps(body).encode(), self.headers)
        with urlopen(request, timeout=30) as response:
            return json.load(response)


if __name__ == "__main__":
    memory = Memory(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080", "example")
    memory.tell("Joe went to the kitchen. Joe picked up the milk. Joe travelled to the office.")
    answer = memory.ask("Where is the milk?")
    print(answer["answer"])
    for hop in answer["evidence"]:
        print(f"  {hop['hop']}. {hop['text']} [{hop['id']}]")
