"""The real Milvus server of the package `milvus`, on free ports of this machine, in one folder."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PARTS = ("rootCoord", "proxy", "queryCoord", "queryNode", "indexNode", "dataCoord", "dataNode")


def free_ports(n: int) -> list[int]:
    """Held open until all are chosen, so that they differ."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


@contextmanager
def milvus_server(folder: Path, tick: int = 20) -> Iterator[str]:
    """Run the server on `folder`; yields `host:port`. `tick` is proxy.timeTickInterval in ms."""
    from milvus import MilvusServer, MilvusServerConfig

    config = MilvusServerConfig(data_dir=str(folder))
    keys = [key for key in config.configurable_items if key.endswith("_port")]
    client, peer, metrics, *ports = free_ports(3 + len(keys))
    config.update(**dict(zip(keys, ports, strict=True)))
    for part in PARTS:  # the parts talk to each other over loopback alone
        config.set(f"{part}.ip", "127.0.0.1")
    config.set("proxy.timeTickInterval", tick)
    config.set("queryCoord.checkInterval", 50)
    config.set("queryCoord.distPullInterval", 50)
    server = MilvusServer(config)
    server.webservice_port = metrics
    etcd = folder / "etcd.yaml"
    folder.mkdir(parents=True, exist_ok=True)
    etcd.write_text(
        f"listen-client-urls: http://127.0.0.1:{client}\n"
        f"advertise-client-urls: http://127.0.0.1:{client}\n"
        f"listen-peer-urls: http://127.0.0.1:{peer}\n"
        f"initial-advertise-peer-urls: http://127.0.0.1:{peer}\n"
        f"initial-cluster: default=http://127.0.0.1:{peer}\n"
    )
    os.environ["ETCD_CONFIG_PATH"] = str(etcd)
    try:
        server.start()
        yield f"127.0.0.1:{server.listen_port}"
    finally:
        os.environ.pop("ETCD_CONFIG_PATH", None)
        server.stop()
