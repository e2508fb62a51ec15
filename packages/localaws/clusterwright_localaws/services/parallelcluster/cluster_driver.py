"""Interface between a cluster of ParallelCluster and a driver that runs its nodes.

Without a driver (the default), a cluster is complete once EC2 has launched its instances. With a
driver, machines run behind the instances: the custom resource passes the cluster to the driver,
and waits for its result, as CloudFormation waits for the head node's signal.

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
    """The desired state of a cluster. Its instances exist, and are found by their tags.

    `configuration` is ParallelCluster's, with numbers and booleans as text.
    """

    account: str
    region: str
    name: str
    configuration: Mapping[str, Any]
    log_group_name: str


class ClusterDriver(Protocol):
    """Runs machines behind the instances. Methods are called from a stack's thread."""

    def bring_up(self, order: ClusterOrder) -> None:
        """Start to apply `order`: boot new nodes, update the head node. Returns at once."""

    def outcome(self, name: str) -> str | None:
        """Return None while it runs; then the reason of a failure, or an empty text."""

    def end(self, name: str) -> None:
        """Stop every machine of a cluster; returns when they are stopped."""


_drivers: weakref.WeakKeyDictionary[Runtime, ClusterDriver] = weakref.WeakKeyDictionary()


@contextmanager
def attach_cluster_driver(runtime: Runtime, driver: ClusterDriver) -> Iterator[None]:
    """Connect a driver to clusters that are created inside the `with` block."""
    if runtime in _drivers:
        raise RuntimeError("the local AWS has a cluster driver already")
    _drivers[runtime] = driver
    try:
        yield
    finally:
        del _drivers[runtime]


def driver_of(runtime: Runtime) -> ClusterDriver | None:
    """Return the driver that is attached, or None."""
    return _drivers.get(runtime)
