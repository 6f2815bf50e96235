"""The bare framework, to compare with: FastAPI and uvicorn with handlers that do nothing."""

from __future__ import annotations

import socket
import sys

import uvicorn
from fastapi import FastAPI

app = FastAPI()


@app.get("/empty")
async def empty() -> dict[str, str]:
    return {}


if __name__ == "__main__":
    sock = socket.create_server(("127.0.0.1", 0), backlog=2048)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # as the service does
    print(f"Listening on http://127.0.0.1:{sock.getsockname()[1]}/", file=sys.stderr, flush=True)
    config = uvicorn.Config(app, log_level="warning", access_log=False)
    uvicorn.Server(config).run(sockets=[sock])
