"""The real Milvus server of the package `milvus`, on free ports of this machine, in one folder."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from subprocess import TimeoutExpired
from unittest.mock import patch

PARTS = ("rootCoord", "proxy", "queryCoord", "queryNode", "indexNode", "dataCoord", "dataNode")

# What the template of the package has no line for: new collections load faster, and a server
# that is started again waits less for the one that was killed.
SETTINGS = {
    "COMMON_SESSION_TTL": "8",
    "QUERYCOORD_CHECKCHANNELINTERVAL": "100",
    "QUERYCOORD_CHECKSEGMENTINTERVAL": "100",
    "QUERYCOORD_UPDATENEXTTARGETINTERVAL": "1",
}


def free_ports(n: int) -> list[int]:
    """Held open until all are chosen, so that they differ."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Server:
    """Starts in about ten seconds; `tick` is proxy.timeTickInterval, what a strong read waits."""

    def __init__(self, folder: Path, tick: int = 20) -> None:
        self.folder, self.tick = folder, tick

    def start(self) -> None:
        from milvus import MilvusServer, MilvusServerConfig

        config = MilvusServerConfig(data_dir=str(self.folder))
        keys = [key for key in config.configurable_items if key.endswith("_port")]
        client, peer, metrics, *ports = free_ports(3 + len(keys))
        config.update(**dict(zip(keys, ports, strict=True)))
        for part in PARTS:  # the parts talk to each other over loopback alone
            config.set(f"{part}.ip", "127.0.0.1")
        config.set("proxy.timeTickInterval", self.tick)
        config.set("queryCoord.distPullInterval", 50)
        # The server brings its own etcd, which takes its ports from a file of its own.
        etcd = self.folder / "etcd.yaml"
        etcd.write_text(
            f"listen-client-urls: http://127.0.0.1:{client}\n"
            f"advertise-client-urls: http://127.0.0.1:{client}\n"
            f"listen-peer-urls: http://127.0.0.1:{peer}\n"
            f"initial-advertise-peer-urls: http://127.0.0.1:{peer}\n"
            f"initial-cluster: default=http://127.0.0.1:{peer}\n"
        )
        self.handle = MilvusServer(config)
        self.handle.webservice_port = metrics
        with patch.dict(os.environ, SETTINGS | {"ETCD_CONFIG_PATH": str(etcd)}):
            self.handle.start()
        self.address = f"milvus+http://127.0.0.1:{self.port}/tests"

    @property
    def port(self) -> int:
        return int(self.handle.listen_port)

    def kill(self) -> None:
        """At once, in the midst of whatever it does; started again, it has other ports."""
        self.handle.server_proc.kill()
        self.handle.server_proc.wait(60)
        self.stop()

    def stop(self) -> None:
        """By its own handle, which kills it after a second; a busy machine takes longer to."""
        process = self.handle.server_proc
        try:
            self.handle.stop()
        except TimeoutExpired:
            process.kill()
            process.wait(60)
        if process is not None:  # it leaves a note of its number outside its folder
            Path(f"/tmp/milvus/server_id_{process.pid}").unlink(missing_ok=True)
