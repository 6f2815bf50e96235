"""An engine, a clock and processes that a test moves by hand, one call at a time.

A process is a thread that runs alone, until its next call of the engine or its next sleep. What
happens to the call is the test's choice: it arrives, is lost, arrives without an answer, or takes
longer than it may. Time passes when the test says so.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from pymilvus import MilvusException, Status

from memnn.errors import MemoryStoreError
from memnn.memory.milvus.connection import (
    CHANGE_SECONDS,
    RATE_LIMIT,
    READ_SECONDS,
    WRITE_SECONDS,
    Connection,
    _pymilvus,
)
from memnn.memory.milvus.memory import MilvusMemory

ADDRESS = "milvus+http://localhost:1/simulated"
HERE = threading.local()


class Killed(BaseException):
    """The process is no longer there: nothing that it does reaches anybody."""


class Server:
    """Collections of rows; a key that is inserted twice is there twice."""

    def __init__(self) -> None:
        self.collections: dict[str, list[dict[str, Any]]] = {}
        self.aliases: dict[str, str] = {}
        self.removed: list[tuple[str, dict[str, Any]]] = []

    def rows(self, name: str) -> list[dict[str, Any]]:
        name = self.aliases.get(name, name)
        if name not in self.collections:
            raise MilvusException(message=f"collection not found: {name}")
        return self.collections[name]

    def found(self, name: str, filter: str) -> list[dict[str, Any]]:
        code = compile(filter, "filter", "eval")
        return [row for row in self.rows(name) if _holds(code, row)]

    def remove(self, name: str, filter: str) -> None:
        for row in self.found(name, filter):
            self.rows(name).remove(row)
            self.removed.append((self.aliases.get(name, name), row))

    def bring_back(self) -> None:
        """What an engine may do when it is killed: statements that were deleted are there again."""
        for name, row in self.removed:
            if row["id"] > 0 and name in self.collections:
                self.collections[name].append(row)
        self.removed = []


def _holds(code: Any, row: dict[str, Any]) -> bool:
    try:
        return bool(eval(code, {"__builtins__": {}}, row))
    except KeyError:
        return False


class Call:
    """A call on its way."""

    def __init__(self, act: Callable[[], Any], until: float, writes: bool) -> None:
        self.act, self.until, self.writes = act, until, writes
        self.decided = False
        self.result: Any = None
        self.error: MilvusException | None = None

    def arrive(self) -> None:
        if not self.decided:
            self.decided = True
            try:
                self.result = self.act()
            except MilvusException as error:
                self.error = error

    def fail(self, *, arrives: bool, busy: bool = False) -> None:
        if not self.decided:
            if arrives:
                self.arrive()
            self.decided = True
            code = RATE_LIMIT if busy else Status.CONNECT_FAILED
            self.error = MilvusException(code, "busy" if busy else "no answer")


class World:
    """The clock that modules see, and everything that runs by it."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.server = Server()
        self.processes: list[Process] = []

    def monotonic(self) -> float:
        return self.now

    def time_ns(self) -> int:
        return int(self.now * 1e9)

    def sleep(self, seconds: float) -> None:
        process: Process = HERE.process
        process.wakes = self.now + seconds
        process.pause()
        process.wakes = None

    def connection(self, address: Any) -> Connection:
        return SimulatedConnection(address, Client(self, HERE.process))

    def start(self) -> Process:
        process = Process(self)
        self.processes.append(process)
        return process

    def advance(self, seconds: float, arrives: bool) -> None:
        """Calls that take longer than they may fail, whether they arrived or not."""
        self.now += seconds
        for process in self.processes:
            if process.call is not None and process.call.until < self.now:
                process.call.fail(arrives=arrives)

    def step(self, process: Process) -> None:
        """What a process waits for happens, and it goes on."""
        if process.wakes is not None and process.wakes > self.now:
            self.advance(process.wakes - self.now, arrives=True)
        if process.call is not None:
            process.call.arrive()
        process.go_on()


class Process:
    """One that has opened the memory and does one thing after the other."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.call: Call | None = None
        self.wakes: float | None = None
        self.memory: MilvusMemory | None = None
        self.job: Callable[[MilvusMemory], None] | None = None
        self.killed = self.ended = False
        self.wrong: BaseException | None = None
        self._turn, self._back = threading.Semaphore(0), threading.Semaphore(0)
        threading.Thread(target=self._run, daemon=True).start()
        self._back.acquire()

    @property
    def idle(self) -> bool:
        return not self.ended and self.job is None and self.call is None and self.wakes is None

    @property
    def writing(self) -> bool:
        there = self.memory is not None and not self.killed and not self.memory.closed
        return there and self.memory._writer.writing  # type: ignore[union-attr]

    def _run(self) -> None:
        HERE.process = self
        try:
            self.pause()
            while self.memory is None:
                try:
                    self.memory = MilvusMemory(ADDRESS)
                except MemoryStoreError:
                    self.world.sleep(0.1)
            while True:
                self.job = None
                self.pause()
                if self.job is not None:
                    self.job(self.memory)
        except (Killed, GeneratorExit):
            pass
        except BaseException as error:  # the test tells what it was
            self.wrong = error
        self.ended = True
        self._back.release()

    def pause(self) -> None:
        """Let the test go on, until it is this process's turn again."""
        self._back.release()
        self._turn.acquire()
        if self.killed:
            raise Killed

    def go_on(self) -> None:
        if not self.ended:
            self._turn.release()
            self._back.acquire()

    def kill(self, *, arrives: bool) -> None:
        if self.call is not None and arrives:
            self.call.arrive()
        self.killed = True
        self.go_on()

    def through(self, act: Callable[[], Any], seconds: float, writes: bool) -> Any:
        """Send a call to the engine, and wait for what becomes of it."""
        if self.killed:
            raise Killed
        call = self.call = Call(act, self.world.now + seconds, writes)
        self.pause()
        self.call = None
        if call.error is not None:
            raise call.error
        return call.result


class SimulatedConnection(Connection):
    def __init__(self, address: Any, client: Client) -> None:
        self.address, self._client, self._milvus = address, client, _pymilvus()


class Client:
    """What memnn asks of pymilvus, sent to the simulated server."""

    def __init__(self, world: World, process: Process) -> None:
        self._world, self._process = world, process

    def _read(self, act: Callable[[Server], Any], seconds: float = READ_SECONDS) -> Any:
        return self._process.through(lambda: act(self._world.server), seconds, writes=False)

    def _write(self, act: Callable[[Server], Any]) -> Any:
        return self._process.through(lambda: act(self._world.server), WRITE_SECONDS, writes=True)

    def close(self) -> None:
        pass

    def has_collection(self, name: str, **_: Any) -> bool:
        return bool(self._read(lambda s: s.aliases.get(name, name) in s.collections))

    def describe_collection(self, name: str, **_: Any) -> dict[str, Any]:
        def act(server: Server) -> dict[str, Any]:
            server.rows(name)
            vector = {"name": "vector", "params": {"dim": 2}}
            return {
                "collection_name": server.aliases.get(name, name),
                "fields": [vector, {"name": "kind"}],
            }

        return dict(self._read(act))

    def get_load_state(self, name: str, **_: Any) -> dict[str, Any]:
        return {"state": SimpleNamespace(name="Loaded")}

    def create_schema(self, **_: Any) -> Any:
        return SimpleNamespace(add_field=lambda *args, **more: None)

    def prepare_index_params(self) -> Any:
        return SimpleNamespace(add_index=lambda *args, **more: None)

    def create_index(self, *_: Any, **more: Any) -> None:
        pass

    def create_collection(self, name: str, **_: Any) -> None:
        self._read(lambda s: s.collections.setdefault(name, []), CHANGE_SECONDS)

    def drop_collection(self, name: str, **_: Any) -> None:
        self._read(lambda s: s.collections.pop(name, None), CHANGE_SECONDS)

    def list_collections(self, **_: Any) -> list[str]:
        return list(self._read(lambda s: list(s.collections)))

    def create_alias(self, name: str, alias: str, **_: Any) -> None:
        def act(server: Server) -> None:
            if alias in server.aliases:
                raise MilvusException(message="the alias is there")
            server.aliases[alias] = name

        self._read(act, CHANGE_SECONDS)

    def describe_alias(self, alias: str, **_: Any) -> dict[str, str]:
        return {"collection_name": self._read(lambda s: s.aliases[alias])}

    def drop_alias(self, alias: str, **_: Any) -> None:
        def act(server: Server) -> None:
            if server.aliases.pop(alias, None) is None:
                raise MilvusException(message="there is no such alias")

        self._read(act, CHANGE_SECONDS)

    def insert(self, name: str, rows: list[dict[str, Any]], **_: Any) -> None:
        self._write(lambda s: s.rows(name).extend(dict(row) for row in rows))

    def upsert(self, name: str, rows: list[dict[str, Any]], **_: Any) -> None:
        def act(server: Server) -> None:
            for row in rows:
                there = [each for each in server.rows(name) if each["id"] != row["id"]]
                server.rows(name)[:] = [*there, dict(row)]

        self._write(act)

    def delete(self, name: str, filter: str, **_: Any) -> None:
        self._write(lambda s: s.remove(name, filter))

    def query(
        self, name: str, filter: str, output_fields: list[str], limit: int = 16_384, **_: Any
    ) -> list[dict[str, Any]]:
        def act(server: Server) -> list[dict[str, Any]]:
            found = server.found(name, filter)
            if output_fields == ["count(*)"]:
                return [{"count(*)": len(found)}]
            found = sorted(found, key=lambda row: row["id"])[:limit]
            return [{field: row[field] for field in output_fields} for row in found]

        return list(self._read(act))
