"""The seam between a cluster of ParallelCluster and its nodes: who brings them up and reports.

Without a driver (the default) a cluster is complete once EC2 has given it its instances. With one,
machines stand behind the instances: the custom resource tells the driver what the cluster is, and
waits until it says how the nodes came out, as CloudFormation waits for the head node's signal.

    with attach_cluster_driver(runtime, driver):      # a `ClusterDriver`
        ...
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from clusterwright_localaws.core.runtime import Runtime


@dataclass(frozen=True)
class ClusterOrder:
    """A cluster as it is wanted now. Its instances are there, and are found by their tags.

    `configuration` is ParallelCluster's, every number and truth value as text.
    """

    account: str
    region: str
    name: str
    configuration: Mapping[str, Any]
    log_group_name: str


class ClusterDriver(Protocol):
    """What stands behind the instances. Methods are called from the thread of a stack."""

    def bring_up(self, order: ClusterOrder) -> None:
        """Begin to make the nodes what `order` says: boot new ones, update the head node."""

    def outcome(self, name: str) -> str | None:
        """None while that is under way; then why it failed, or an empty text."""

    def end(self, name: str) -> None:
        """End every machine of a cluster; returns when they are gone."""


_drivers: weakref.WeakKeyDictionary[Runtime, ClusterDriver] = weakref.WeakKeyDictionary()


@contextmanager
def attach_cluster_driver(runtime: Runtime, driver: ClusterDriver) -> Iterator[None]:
    """Give clusters that are made inside the `with` block to a driver."""
    if runtime in _drivers:
        raise RuntimeError("the local AWS has a driver of clusters already")
    _drivers[runtime] = driver
    try:
        yield
    finally:
        del _drivers[runtime]


def driver_of(runtime: Runtime) -> ClusterDriver | None:
    """Return the driver that is attached, or None."""
    return _drivers.get(runtime)
