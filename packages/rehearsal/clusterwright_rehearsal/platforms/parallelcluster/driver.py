"""Starts and manages the nodes of ParallelCluster clusters in the local AWS."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from clusterwright_localaws.drivers import ClusterOrder
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.aws_clients import AwsClients
from clusterwright_rehearsal.nodes.vpc import Vpc
from clusterwright_rehearsal.platforms.parallelcluster.cluster import RunningCluster
from clusterwright_rehearsal.platforms.parallelcluster.node import ParallelClusterNode
from clusterwright_rehearsal.platforms.parallelcluster.settings import Settings

_EVERY_S = 1.0
"""Interval of the clustermgtd loop; the real `loop_time` is 60 s."""


class ParallelCluster:
    """A `ClusterDriver`. `vpc` creates machines; `timeline` records their events."""

    def __init__(
        self, endpoint: str, vpc: Vpc, settings: Settings, timeline: Callable[..., None]
    ) -> None:
        self._endpoint = endpoint
        self._vpc = vpc
        self._settings = settings
        self._timeline = timeline
        self._lock = threading.RLock()
        self._clusters: dict[str, RunningCluster] = {}
        self._outcomes: dict[str, str] = {}
        self._pool = ThreadPoolExecutor(8, thread_name_prefix="parallelcluster")
        self.closing = False

    # --- the ClusterDriver protocol

    def bring_up(self, order: ClusterOrder) -> None:
        with self._lock:
            self._outcomes.pop(order.name, None)
            cluster = self._clusters.get(order.name)
        self._pool.submit(self._deploy, cluster, order)

    def outcome(self, name: str) -> str | None:
        with self._lock:
            return self._outcomes.get(name)

    def end(self, name: str) -> None:
        with self._lock:
            cluster = self._clusters.pop(name, None)
            self._outcomes.pop(name, None)
        if cluster is not None:
            cluster.end()

    # --- nodes

    def node(self, name: str) -> ParallelClusterNode | None:
        """A node by its name, host name or instance id."""
        for node in self.nodes():
            if name in (node.order.name, node.machine.name, node.order.instance_id):
                return node
        return None

    def nodes(self) -> list[ParallelClusterNode]:
        with self._lock:
            return [node for cluster in self._clusters.values() for node in cluster.nodes()]

    def start_again(self, host: str) -> None:
        """Launch a node again that failed too often."""
        with self._lock:
            clusters = list(self._clusters.values())
        for cluster in clusters:
            cluster.start_again(host)

    def close(self) -> None:
        """Terminate every machine."""
        with self._lock:
            self.closing = True
            names = list(self._clusters)
        for name in names:
            self.end(name)
        self._pool.shutdown(wait=False, cancel_futures=True)

    # --- deployments

    def _deploy(self, cluster: RunningCluster | None, order: ClusterOrder) -> None:
        try:
            if cluster is None:
                cluster = self._new(order)
                failure = cluster.create()
                if not failure:
                    threading.Thread(
                        target=self._clustermgtd, args=(order.name, cluster), daemon=True
                    ).start()
            else:
                failure = cluster.update(order)
        except RehearsalError as error:
            failure = error.message
        except Exception as error:  # noqa: BLE001  an internal error, reported at the cluster
            traceback.print_exc()
            failure = f"the rehearsal failed: {type(error).__name__}: {error}"
        with self._lock:
            self._outcomes[order.name] = failure

    def _new(self, order: ClusterOrder) -> RunningCluster:
        account = AwsClients(self._endpoint, order.account, order.region)
        cluster = RunningCluster(order, account, self._vpc, self._settings, self._timeline)
        with self._lock:
            self._clusters[order.name] = cluster
        return cluster

    def _clustermgtd(self, name: str, cluster: RunningCluster) -> None:
        """Replace lost and drained nodes until the cluster is deleted."""
        while not self.closing:
            with self._lock:
                if self._clusters.get(name) is not cluster:
                    return
            try:
                cluster.replace_unhealthy_nodes()
            except RehearsalError as error:
                print(f"clustermgtd: {error.message}", flush=True)
            except Exception:  # noqa: BLE001  the loop continues, as the daemon does
                traceback.print_exc()
            time.sleep(_EVERY_S)
