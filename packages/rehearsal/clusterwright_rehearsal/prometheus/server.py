"""Prometheus and Alertmanager in the namespace of a rehearsed VPC, for the time of a scenario.

They listen on loopback addresses of that namespace, scrape the nodes as a server in the cluster
would, and end with the scenario. Sources: Prometheus, "Configuration"; Alertmanager,
"Configuration" (2.42 and 0.25; read 2026-11-27).
"""

from __future__ import annotations

import contextlib
import http.client
import json
import signal
import subprocess
import time
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.network import Network
from clusterwright_rehearsal.prometheus import programs
from clusterwright_rehearsal.prometheus.receiver import Receiver
from clusterwright_rehearsal.prometheus.shortened_rules import shortened_duration, shortened_route
from clusterwright_rehearsal.registry import Registry

SCRAPE_SECONDS: Final = 2
_LOOPBACK: Final = "127.0.0.1"
_PROMETHEUS, _ALERTMANAGER, _RECEIVER = 9090, 9093, 9094
_LOOKBACK: Final = "5m"
"""Prometheus' default: how long a series without new samples has its last value."""
_START_SECONDS: Final = 30.0
_STOP_SECONDS: Final = 10.0
_HTTP_SECONDS: Final = 20.0


class Monitoring:
    """A running Prometheus with its Alertmanager and the receiver of its notifications."""

    def __init__(self, network: Network, receiver: Receiver) -> None:
        self._network = network
        self.receiver = receiver

    def query(self, expression: str) -> list[dict[str, Any]]:
        """The samples of an instant query; NaN, which Grafana does not draw, is none."""
        found = self._get("/api/v1/query", query=f"({expression}) >= -Inf")
        return list(found["result"])

    def metric_names(self) -> set[str]:
        """The names of all metrics that have samples."""
        return set(self._get("/api/v1/label/__name__/values"))

    def firing(self) -> set[str]:
        """The names of the alerts that fire now."""
        return {
            alert["labels"]["alertname"]
            for alert in self._get("/api/v1/alerts")["alerts"]
            if alert["state"] == "firing"
        }

    def fired(self) -> set[str]:
        """The names of the alerts that have fired since the start, also if they cleared."""
        found = self.query(
            'count by (alertname) (count_over_time(ALERTS{alertstate="firing"}[1h]))'
        )
        return {sample["metric"]["alertname"] for sample in found}

    def unhealthy_rules(self) -> list[str]:
        """The rules whose last evaluation failed, with the errors."""
        return [
            f"{rule['name']}: {rule.get('lastError')}"
            for group in self._get("/api/v1/rules")["groups"]
            for rule in group["rules"]
            if rule["health"] == "err"
        ]

    def _get(self, path: str, **parameters: str) -> Any:
        text = self.answer(_PROMETHEUS, f"{path}?{urllib.parse.urlencode(parameters)}")
        answer = json.loads(text)
        if answer.get("status") != "success":
            raise RehearsalError(f"Prometheus: {answer.get('error', text[:300])}: {parameters}")
        return answer["data"]

    def answer(self, port: int, path: str) -> str:
        """The body of an HTTP answer, of whatever status.

        Raises
        ------
        RehearsalError
            There is no answer.
        """
        connection = http.client.HTTPConnection(_LOOPBACK, port, timeout=_HTTP_SECONDS)
        try:
            connection.sock = self._network.connection_to(_LOOPBACK, port)
            connection.sock.settimeout(_HTTP_SECONDS)
            connection.request("GET", path)
            return connection.getresponse().read().decode()
        except (OSError, http.client.HTTPException) as error:
            raise RehearsalError(f"port {port} of the monitoring: {error}") from error
        finally:
            connection.close()


@contextlib.contextmanager
def running(
    *,
    network: Network,
    registry: Registry,
    folder: Path,
    targets: Sequence[Mapping[str, Any]],
    rules: Mapping[str, Any],
    manager: Mapping[str, Any],
) -> Iterator[Monitoring]:
    """Run both programs in the `with` block.

    Parameters
    ----------
    folder:
        For their configuration, data and logs.
    targets:
        The static configurations of what is scraped: addresses with labels.
    rules:
        The document of the rule file.
    manager:
        The configuration of the alert manager that the stacks create; its receivers, topics of
        SNS, are replaced by the loopback receiver, and its waits are shortened.

    Raises
    ------
    RehearsalError
        A program does not start, or refuses its configuration.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "rules.json", rules)
    _write(folder / "prometheus.json", _prometheus(folder / "rules.json", targets))
    _write(folder / "alertmanager.json", alertmanager_configuration(manager))
    with contextlib.ExitStack() as stack:
        receiver = Receiver(network.socket_in(_LOOPBACK, _RECEIVER))
        stack.callback(receiver.close)
        found = Monitoring(network, receiver)
        for name, port, words in (
            (
                programs.ALERTMANAGER,
                _ALERTMANAGER,
                [
                    f"--config.file={folder / 'alertmanager.json'}",
                    f"--storage.path={folder / 'alertmanager'}",
                    f"--web.listen-address={_LOOPBACK}:{_ALERTMANAGER}",
                    # No cluster of alert managers.
                    "--cluster.listen-address=",
                ],
            ),
            (
                programs.PROMETHEUS,
                _PROMETHEUS,
                [
                    f"--config.file={folder / 'prometheus.json'}",
                    f"--storage.tsdb.path={folder / 'tsdb'}",
                    f"--web.listen-address={_LOOPBACK}:{_PROMETHEUS}",
                    f"--query.lookback-delta={shortened_duration(_LOOKBACK)}",
                ],
            ),
        ):
            log = folder / f"{name}.log"
            process = _started(name, words, network, registry, log)
            stack.callback(_stop, process)
            _wait_ready(found, name, port, process, log)
        yield found


def _prometheus(rules: Path, targets: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    alertmanagers = [{"static_configs": [{"targets": [f"{_LOOPBACK}:{_ALERTMANAGER}"]}]}]
    every = f"{SCRAPE_SECONDS}s"
    return {
        "global": {
            "scrape_interval": every,
            "scrape_timeout": every,
            "evaluation_interval": every,
        },
        "rule_files": [str(rules)],
        "alerting": {"alertmanagers": alertmanagers},
        "scrape_configs": [{"job_name": "clusterwright", "static_configs": list(targets)}],
    }


def alertmanager_configuration(manager: Mapping[str, Any]) -> dict[str, Any]:
    """The manager's routes with shortened waits, to receivers on the loopback address."""
    return {
        "route": shortened_route(manager["route"]),
        "receivers": [
            {
                "name": receiver["name"],
                "webhook_configs": [
                    {
                        "url": f"http://{_LOOPBACK}:{_RECEIVER}/{receiver['name']}",
                        "send_resolved": receiver["sns_configs"][0]["send_resolved"],
                    }
                ],
            }
            for receiver in manager["receivers"]
        ],
    }


def _write(path: Path, content: Mapping[str, Any]) -> None:
    # JSON is YAML.
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")


def _started(
    name: str, words: Sequence[str], network: Network, registry: Registry, log: Path
) -> subprocess.Popen[bytes]:
    command = programs.command(name)
    if not command:
        raise RehearsalError(f"{name} is not installed", programs.INSTALL)
    with log.open("ab") as output:
        process = subprocess.Popen(
            ["nsenter", f"--net=/run/netns/{network.namespace}", *command, *words],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    registry.add_process(process.pid, name)
    return process


def _wait_ready(
    found: Monitoring, name: str, port: int, process: subprocess.Popen[bytes], log: Path
) -> None:
    ends = time.monotonic() + _START_SECONDS
    error = ""
    while time.monotonic() < ends and process.poll() is None:
        try:
            if "ready" in found.answer(port, "/-/ready").lower() or name != programs.PROMETHEUS:
                return
        except RehearsalError as failed:
            error = failed.message
        time.sleep(0.1)
    tail = log.read_text(errors="replace")[-600:]
    raise RehearsalError(f"{name} is not ready: {error}: {tail}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
