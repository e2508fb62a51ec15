"""The network of a run: a namespace with a bridge for the VPC, and one namespace per machine.

Nothing is created in the host's network, so that two runs can use the same addresses, and a VPC
may overlap with addresses of the host. The bridge has the addresses of AWS's link-local services
(metadata, time); their servers bind there with `socket_in`.
"""

from __future__ import annotations

import ctypes
import ipaddress
import os
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.registry import Registry

METADATA = "169.254.169.254"
TIME = "169.254.169.123"
SERVICES = "169.254.171.0/24"
"""Addresses of machines that emulate AWS services inside the VPC; AWS uses none of them."""
_BRIDGE = "vpc0"
_CLONE_NEWNET = 0x40000000
_CONNECT_SECONDS = 5.0


class Network:
    """The VPC of a run.

    `router` is the address of everything outside the VPC, the second of the CIDR block as in AWS: https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html.
    """

    def __init__(self, run: str, blocks: Sequence[str], registry: Registry) -> None:
        self._run = run
        self._registry = registry
        self._blocks = [ipaddress.ip_network(block) for block in blocks]
        self._lock = threading.Lock()
        self._links: dict[str, str] = {}
        self.namespace = f"cw-{run}-vpc"
        self.router = str(self._blocks[0][1])

    def up(self) -> None:
        """Create the namespace and the bridge with the addresses of AWS's services."""
        self._registry.add("netns", self.namespace)
        _ip("netns", "add", self.namespace)
        length = self._blocks[0].prefixlen
        _ip_batch(
            self.namespace,
            [
                "link set lo up",
                # Without an address of its own a bridge takes the lowest of its ports: it changes
                # with them, and machines that know the former one reach no service for a while.
                f"link add {_BRIDGE} address {_mac(self.router)} type bridge forward_delay 0",
                f"address add {self.router}/{length} dev {_BRIDGE}",
                f"address add {METADATA}/32 dev {_BRIDGE}",
                f"address add {TIME}/32 dev {_BRIDGE}",
                f"link set {_BRIDGE} up",
                *(f"route add {block} dev {_BRIDGE}" for block in self._blocks[1:]),
            ],
        )

    def connect(self, machine: str, address: str) -> str:
        """Create the namespace of a machine, with `address` on its eth0; return its name."""
        name = f"cw-{self._run}-{machine}"
        with self._lock:
            link = self._links.setdefault(machine, f"m{len(self._links)}")
        self._registry.add("netns", name)
        _ip("netns", "add", name)
        _ip_batch(
            self.namespace,
            [
                # Of the IP address, because the next machine with it may have known neighbours.
                f"link add {link} type veth peer name eth0 address {_mac(address)} netns {name}",
                f"link set {link} master {_BRIDGE} up",
            ],
        )
        _ip_batch(
            name,
            [
                "link set lo up",
                f"address add {address}/32 dev eth0",
                "link set eth0 up",
                *(f"route add {block} dev eth0" for block in self._blocks),
                f"route add default via {self.router}",
            ],
        )
        return name

    def disconnect(self, machine: str) -> None:
        """Delete the machine's namespace and its veth interface."""
        _ip("netns", "delete", f"cw-{self._run}-{machine}", check=False)
        with self._lock:
            link = self._links.get(machine)
        if link is not None:
            # The kernel deletes a namespace asynchronously; the name is needed again immediately.
            _ip("-n", self.namespace, "link", "delete", link, check=False)

    def isolate(self, machine: str) -> None:
        """Drop all packets to and from a machine, as when an instance is lost."""
        _ip("-n", self.namespace, "link", "set", self._links[machine], "down")

    def reconnect(self, machine: str) -> None:
        """Undo `isolate`."""
        _ip("-n", self.namespace, "link", "set", self._links[machine], "up")

    def socket_in(self, address: str, port: int, kind: int = socket.SOCK_STREAM) -> socket.socket:
        """A socket bound inside the VPC's namespace; it can be used from any namespace."""

        def bound() -> socket.socket:
            found = socket.socket(socket.AF_INET, kind)
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind((address, port))
            if kind == socket.SOCK_STREAM:
                found.listen(256)
            return found

        try:
            return self._inside(bound)
        except OSError as error:
            raise RehearsalError(
                f"cannot listen on {address}:{port} of the VPC: {error}"
            ) from error

    def connection_to(self, address: str, port: int) -> socket.socket:
        """A connection made inside the VPC's namespace. Raises `OSError`."""
        return self._inside(lambda: socket.create_connection((address, port), _CONNECT_SECONDS))

    def _inside(self, make: Callable[[], socket.socket]) -> socket.socket:
        made: list[socket.socket | BaseException] = []

        def run() -> None:
            # In its own thread, because a network namespace is a property of the thread.
            try:
                _enter(self.namespace)
                made.append(make())
            except BaseException as error:  # noqa: BLE001  raised again below
                made.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        result = made[0]
        if isinstance(result, BaseException):
            raise result
        return result


def _mac(address: str) -> str:
    """A locally administered MAC address for an IPv4 address: `02:00:0a:00:00:05`."""
    return ":".join(f"{byte:02x}" for byte in (2, 0, *ipaddress.IPv4Address(address).packed))


def _enter(namespace: str) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    handle = os.open(Path("/run/netns") / namespace, os.O_RDONLY)
    try:
        if library.setns(handle, _CLONE_NEWNET) != 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), namespace)
    finally:
        os.close(handle)


def _ip(*words: str, check: bool = True) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise RehearsalError(f"`ip {' '.join(words)}`: {done.stderr.strip()}")


def _ip_batch(namespace: str, commands: Sequence[str]) -> None:
    done = subprocess.run(
        ["ip", "-n", namespace, "-batch", "-"],
        input="".join(f"{command}\n" for command in commands),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RehearsalError(f"`ip` in {namespace}: {done.stderr.strip()}")
