"""The network of a run, by the commands that make it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes import network as module
from clusterwright_rehearsal.nodes.network import METADATA, TIME, Network
from clusterwright_rehearsal.registry import Registry

Commands = list[str]


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> Commands:
    """Lines of `ip`, with the namespace of a batch before each of its lines."""
    found: Commands = []

    def run(words: list[str], *, input: str = "", **_: Any) -> SimpleNamespace:  # noqa: A002
        if words[-2:] == ["-batch", "-"]:
            found.extend(f"{words[2]}: {line}" for line in input.splitlines())
        else:
            found.append(" ".join(words[1:]))
        return SimpleNamespace(returncode=0, stderr="")

    monkeypatch.setattr(subprocess, "run", run)
    return found


@pytest.fixture
def network(tmp_path: Path) -> Network:
    return Network("r1", ["10.0.0.0/16", "169.254.171.0/24"], Registry(tmp_path))


def test_the_bridge_has_the_addresses_of_awss_services(
    network: Network, commands: Commands, tmp_path: Path
) -> None:
    network.up()
    assert network.router == "10.0.0.1"
    assert commands[0] == "netns add cw-r1-vpc"
    addresses = [line.split()[3] for line in commands if " address add " in line]
    assert addresses == ["10.0.0.1/16", f"{METADATA}/32", f"{TIME}/32"]
    assert commands[-1] == "cw-r1-vpc: route add 169.254.171.0/24 dev vpc0"
    assert [resource.name for resource in Registry(tmp_path).resources()] == ["cw-r1-vpc"]


_LINK = (
    "cw-r1-vpc: link add m0 type veth peer name eth0 address 02:00:0a:00:00:05"
    " netns cw-r1-ip-10-0-0-5"
)


def test_a_machine_is_connected_isolated_and_disconnected(
    network: Network, commands: Commands, tmp_path: Path
) -> None:
    assert network.connect("ip-10-0-0-5", "10.0.0.5") == "cw-r1-ip-10-0-0-5"
    assert _LINK in commands
    assert "cw-r1-ip-10-0-0-5: address add 10.0.0.5/32 dev eth0" in commands
    assert commands[-1] == "cw-r1-ip-10-0-0-5: route add default via 10.0.0.1"
    network.connect("ip-10-0-0-6", "10.0.0.6")
    commands.clear()
    network.isolate("ip-10-0-0-6")
    network.reconnect("ip-10-0-0-6")
    network.disconnect("ip-10-0-0-5")
    assert commands == [
        "-n cw-r1-vpc link set m1 down",
        "-n cw-r1-vpc link set m1 up",
        "netns delete cw-r1-ip-10-0-0-5",
        "-n cw-r1-vpc link delete m0",
    ]
    network.connect("ip-10-0-0-5", "10.0.0.5")
    assert _LINK in commands
    names = {resource.name for resource in Registry(tmp_path).resources()}
    assert names == {"cw-r1-ip-10-0-0-5", "cw-r1-ip-10-0-0-6"}


def test_a_machine_that_is_not_connected_cannot_be_isolated(network: Network) -> None:
    with pytest.raises(KeyError):
        network.isolate("nobody")


@pytest.mark.parametrize("method", ["_ip", "_ip_batch"])
def test_a_failed_command_is_reported(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = SimpleNamespace(returncode=2, stderr=" File exists\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    arguments: tuple[Any, ...] = ("ns", ["x"]) if method == "_ip_batch" else ("netns", "add", "x")
    with pytest.raises(RehearsalError, match="File exists"):
        getattr(module, method)(*arguments)


def test_a_socket_that_cannot_be_bound_is_reported(network: Network) -> None:
    with pytest.raises(RehearsalError, match=r"cannot listen on 10\.0\.0\.1:80 of the VPC"):
        network.socket_in("10.0.0.1", 80)


def test_a_connection_is_made_inside_the_vpc(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered: list[str] = []
    made = object()
    monkeypatch.setattr(module, "_enter", entered.append)
    monkeypatch.setattr(module.socket, "create_connection", lambda *_: made)
    assert network.connection_to("127.0.0.1", 9090) is made
    assert entered == ["cw-r1-vpc"]


def test_a_connection_that_fails_raises_its_own_error(network: Network) -> None:
    with pytest.raises(FileNotFoundError, match="cw-r1-vpc"):
        network.connection_to("127.0.0.1", 9090)


@pytest.mark.slurm
def test_addresses_of_interfaces_do_not_change_with_the_machines(tmp_path: Path) -> None:
    """With real namespaces: machines remember the router's MAC address for some time."""
    network = Network("mac", ["10.99.0.0/16"], Registry(tmp_path))
    network.up()
    try:
        before = _mac_of(network.namespace, "vpc0")
        machines = [network.connect(f"m{number}", f"10.99.0.{number}") for number in range(5, 13)]
        first = _mac_of(machines[0], "eth0")
        assert _mac_of(network.namespace, "vpc0") == before
        for number in (5, 6, 7):
            network.disconnect(f"m{number}")
            assert _mac_of(network.namespace, "vpc0") == before
        assert _mac_of(network.connect("other", "10.99.0.5"), "eth0") == first
    finally:
        for name in ["vpc", "other", *(f"m{number}" for number in range(5, 13))]:
            subprocess.run(["ip", "netns", "delete", f"cw-mac-{name}"], check=False)


def _mac_of(namespace: str, device: str) -> str:
    shown = subprocess.run(
        ["ip", "-n", namespace, "-json", "link", "show", device], capture_output=True, check=True
    )
    return str(json.loads(shown.stdout)[0]["address"])
