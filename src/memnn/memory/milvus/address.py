"""Addresses of memories in Milvus, and how they become names of collections."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b
from urllib.parse import parse_qsl, unquote, urlsplit

from memnn.errors import MemoryStoreError

EXAMPLE = "milvus+http://localhost:19530/diary"
INDEXES: dict[str, dict[str, int]] = {"FLAT": {}, "HNSW": {"M": 16, "efConstruction": 200}}


@dataclass(frozen=True, slots=True)
class Address:
    """Where a memory is: a server, a store on it, a name in the store, and how it is spread."""

    uri: str
    token: str
    name: str
    collection: str
    """An alias; the collection behind it changes when vectors change their dimension."""
    prefix: str
    """What the collections of the store begin with."""
    shards: int = 1
    replicas: int = 1
    index: str = "FLAT"


def parse_address(address: str, name: str) -> Address:
    """`milvus+http://[user:password@]host[:19530]/store[?shards=1&replicas=1&index=FLAT]`."""
    wrong = f"the address of a Milvus memory is like {EXAMPLE}"
    if not isinstance(address, str):
        raise MemoryStoreError(f"{wrong}, not {type(address).__name__}")
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port or 19530
        options = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
    except ValueError as error:
        raise MemoryStoreError(f"{wrong}: {error}") from None
    if parts.scheme not in ("milvus+http", "milvus+https") or not host or parts.fragment:
        raise MemoryStoreError(wrong)
    index = options.pop("index", "FLAT").upper()
    if index not in INDEXES:
        raise MemoryStoreError(f"there is no index '{index}'; known: {', '.join(INDEXES)}")
    spread = {}
    for option, value in options.items():
        if option not in ("shards", "replicas"):
            raise MemoryStoreError(f"there is no option '{option}'; known: index, replicas, shards")
        if not re.fullmatch(r"[1-9]\d?", value):
            raise MemoryStoreError(f"{option} must be a number from 1 to 99, not '{value}'")
        spread[option] = int(value)
    store = unquote(parts.path.removeprefix("/"))
    if not store or not store.isprintable() or "/" in store or len(store) > 60:
        raise MemoryStoreError(f"a store needs a short name without slashes, as in {EXAMPLE}")
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > 200:
        raise MemoryStoreError("the name of a memory must be one line of 1 to 200 characters")
    # No escape is an s, g or h, so that different pairs of names never meet in one collection.
    own = _identifier(name)
    if len(own) > 100:
        own = "_h" + blake2b(name.encode(), digest_size=16).hexdigest()
    collection = f"{_prefix(store)}{own}"
    if len(collection) > 240:
        raise MemoryStoreError(f"the name of the store '{store[:40]}' is too long for Milvus")
    token = ":".join(unquote(part) for part in (parts.username, parts.password) if part)
    host = f"[{host}]" if ":" in host else host
    uri = f"{parts.scheme.removeprefix('milvus+')}://{host}:{port}"
    return Address(uri, token, name, collection, _prefix(store), index=index, **spread)


def shown(where: str) -> str:
    """An address without its user and password, for people to read."""
    scheme, mark, rest = where.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}"


def _prefix(store: str) -> str:
    return f"memnn_{_identifier(store)}_s"


def _identifier(name: str) -> str:
    """A name in the letters that Milvus takes; every other byte becomes `_` and two digits."""
    return "".join(
        chr(b) if chr(b).isascii() and chr(b).isalnum() else f"_{b:02x}" for b in name.encode()
    )
