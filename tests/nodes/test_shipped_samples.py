"""Samples of a node's exporter reach the workspace: a real Prometheus in the place of the agent.

The CloudWatch agent is not a package of Debian. It reads the scrape configuration that the step
`metrics_shipping` writes, and so does Prometheus. Debian builds Prometheus without signatures
(2.42 sends none, whatever `sigv4` says), so a proxy on the loopback interface signs what it sends.
"""

from __future__ import annotations

import http.server
import json
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from clusterwright_rehearsal.prometheus import programs
from packages.localaws.tests.parts import REGION
from packages.localaws.tests.servers import at
from packages.localaws.tests.services.amp.prometheus_requests import World as AwsWorld
from packages.localaws.tests.services.amp.prometheus_requests import (
    query,
    samples_of,
    send,
    serving,
)
from tests.nodes.world import World
from tools.setup import prometheus

pytestmark = [
    pytest.mark.slow,
    pytest.mark.enable_socket,
    pytest.mark.skipif(
        programs.find(programs.PROMETHEUS) is None and not prometheus.can_install(),
        reason="Prometheus is a package of Debian and Ubuntu",
    ),
]

SCRAPE = "opt/clusterwright/etc/clusterwright-prometheus.yaml"
ACCOUNT = "111122223333"
EXPORTED = (
    "# TYPE node_load1 gauge\nnode_load1 0.5\n"
    '# TYPE efa_rx_bytes_total counter\nefa_rx_bytes_total{device="rdmap0s0",port="1"} 42\n'
)
_SECONDS = 30.0


def test_the_samples_of_a_node_reach_the_workspace(
    world: Callable[..., World], tmp_path: Path
) -> None:
    node = world("workers-1")
    node.run()
    scrape = json.loads((node.root / SCRAPE).read_text())
    # The world of the node program writes a fixed address and interval.
    (static,) = scrape["scrape_configs"][0]["static_configs"]
    with _exporter() as target, serving(AwsWorld(iam="enforced", account=ACCOUNT)) as served:
        static["targets"] = [target]
        scrape["global"] = {"scrape_interval": "1s", "scrape_timeout": "1s"}
        workspace = at(served.url, "amp", ACCOUNT).create_workspace()["workspaceId"]
        arn = f"arn:aws:aps:{REGION}:{ACCOUNT}:workspace/{workspace}"
        keys = {name: _user(served.url, name) for name in ("node", "stranger")}
        path = f"/workspaces/{workspace}/api/v1/remote_write"
        kept = samples_of(ACCOUNT, REGION, workspace)
        _allow(served.url, "node", arn)
        with (
            _signing(served.port, keys["node"]) as allowed,
            _signing(served.port, keys["stranger"]) as denied,
        ):
            log = _send(
                tmp_path / "prometheus",
                scrape,
                [f"http://127.0.0.1:{served.port}{path}", f"{denied}{path}", f"{allowed}{path}"],
                lambda log: kept.request_count > 0 and log.count("non-recoverable error") > 1,
            )
        assert "Missing Authentication Token" in log
        assert "aps:RemoteWrite" in log
        (load,) = query(served.port, workspace, "node_load1")
        (bytes_received,) = query(served.port, workspace, 'efa_rx_bytes_total{port="1"}')
        (up,) = query(served.port, workspace, "up")
    labels = {key: load["metric"][key] for key in ("cluster", "group", "node", "job")}
    assert labels == {
        "cluster": "prod", "group": "workers", "node": "workers-1", "job": "clusterwright"
    }  # fmt: skip
    assert (load["value"][1], bytes_received["value"][1], up["value"][1]) == ("0.5", "42", "1")


class _Handler(http.server.BaseHTTPRequestHandler):
    def say(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002
        """Say nothing."""


@contextmanager
def _serving(handler: type[_Handler]) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def _exporter() -> Iterator[str]:
    class Handler(_Handler):
        def do_GET(self) -> None:
            self.say(200, EXPORTED.encode())

    with _serving(Handler) as address:
        yield address


@contextmanager
def _signing(port: int, key: dict[str, str]) -> Iterator[str]:
    """A proxy that signs, as the agent does; its URL."""

    class Handler(_Handler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status, answered = send(port, self.path, body, **key)
            self.say(status, json.dumps(answered).encode())

    with _serving(Handler) as address:
        yield f"http://{address}"


def _user(url: str, name: str) -> dict[str, str]:
    iam = at(url, "iam", ACCOUNT)
    iam.create_user(UserName=name)
    key = iam.create_access_key(UserName=name)["AccessKey"]
    return {"key": key["AccessKeyId"], "secret": key["SecretAccessKey"]}


def _allow(url: str, name: str, arn: str) -> None:
    """The statement that roles of nodes have (stacks/hyperpod_slurm/node_roles.py)."""
    statement = {"Effect": "Allow", "Action": "aps:RemoteWrite", "Resource": arn}
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    at(url, "iam", ACCOUNT).put_user_policy(
        UserName=name, PolicyName="metrics", PolicyDocument=document
    )


def _send(
    folder: Path,
    scrape: dict[str, Any],
    urls: list[str],
    done: Callable[[str], bool],
) -> str:
    """Run Prometheus until `done`, which gets its log so far; return the log."""
    folder.mkdir()
    config, log = folder / "prometheus.json", folder / "log"
    config.write_text(json.dumps({**scrape, "remote_write": [{"url": url} for url in urls]}))
    words = [f"--config.file={config}", f"--storage.tsdb.path={folder / 'tsdb'}"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*programs.command(programs.PROMETHEUS), *words, "--web.listen-address=127.0.0.1:0"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        ends = time.monotonic() + _SECONDS
        while not done(log.read_text()):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < ends, log.read_text()
            time.sleep(0.1)
    finally:
        # Asked to end, it would try to send the rest for a while.
        process.kill()
        process.wait(20)
    return log.read_text()
