"""Runs the controllers and the nodes of AWS PCS clusters in the local AWS."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from clusterwright_localaws.drivers import PcsOrder, Runtime
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.aws_clients import AwsClients
from clusterwright_rehearsal.nodes.vpc import Vpc
from clusterwright_rehearsal.platforms.pcs.cluster import RunningCluster
from clusterwright_rehearsal.platforms.pcs.node import PcsNode
from clusterwright_rehearsal.platforms.pcs.settings import Settings

_EVERY_S = 1.0
"""Interval of the service's looks; that of PCS is not published."""


class Pcs:
    """A `PcsDriver`. `vpc` creates machines; `timeline` records their events."""

    def __init__(
        self,
        runtime: Runtime,
        endpoint: str,
        vpc: Vpc,
        settings: Settings,
        timeline: Callable[..., None],
    ) -> None:
        self._runtime = runtime
        self._endpoint = endpoint
        self._vpc = vpc
        self._settings = settings
        self._timeline = timeline
        self._lock = threading.RLock()
        self._clusters: dict[str, RunningCluster] = {}
        # One after another: an order replaces the ones before it.
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="pcs")
        self.closing = False

    # --- the PcsDriver protocol

    def apply(self, order: PcsOrder) -> Future[None]:
        return self._pool.submit(self._apply, order)

    def end(self, cluster_id: str) -> Future[None]:
        return self._pool.submit(self._end, cluster_id)

    # --- nodes

    def node(self, name: str) -> PcsNode | None:
        """A node by its name or instance id."""
        for node in self.nodes():
            if name in (node.order.name, node.order.instance_id):
                return node
        return None

    def nodes(self) -> list[PcsNode]:
        with self._lock:
            return [node for cluster in self._clusters.values() for node in cluster.nodes()]

    def reboot(self, name: str) -> None:
        """Reboot the instance of a node.

        Raises
        ------
        LookupError
            There is no such node.
        """
        with self._lock:
            clusters = list(self._clusters.values())
        for cluster in clusters:
            for node in cluster.nodes():
                if node.order.name == name:
                    cluster.reboot(node)
                    return
        raise LookupError(f"no node {name}")

    def close(self) -> None:
        """Terminate every machine."""
        with self._lock:
            self.closing = True
            clusters = list(self._clusters)
        for identifier in clusters:
            self._end(identifier)
        self._pool.shutdown(wait=False, cancel_futures=True)

    # --- work

    def _apply(self, order: PcsOrder) -> None:
        with self._lock:
            cluster = self._clusters.get(order.cluster_id)
        is_new = cluster is None
        if cluster is None:
            account = AwsClients(self._endpoint, order.account, order.region)
            cluster = RunningCluster(
                self._runtime, order, account, self._vpc, self._settings, self._timeline
            )
            with self._lock:
                self._clusters[order.cluster_id] = cluster
        try:
            cluster.apply(order)
        except RehearsalError as error:
            # The local AWS shows the text of the exception.
            raise RuntimeError(error.message) from error
        finally:
            if is_new:
                threading.Thread(
                    target=self._serve, args=(order.cluster_id, cluster), daemon=True
                ).start()

    def _end(self, cluster_id: str) -> None:
        with self._lock:
            cluster = self._clusters.pop(cluster_id, None)
        if cluster is not None:
            cluster.end()

    def _serve(self, cluster_id: str, cluster: RunningCluster) -> None:
        """Look after a cluster until it is deleted."""
        while not self.closing:
            with self._lock:
                if self._clusters.get(cluster_id) is not cluster:
                    return
            try:
                cluster.look()
            except LookupError:
                pass  # the cluster or a group is being deleted
            except RehearsalError as error:
                print(f"pcs: {error.message}", flush=True)
            except Exception:  # noqa: BLE001  the loop continues, as a service does
                traceback.print_exc()
            time.sleep(_EVERY_S)
