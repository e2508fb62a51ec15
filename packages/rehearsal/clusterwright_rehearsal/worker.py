"""The worker process of a run: the local AWS, the platforms' node software and the machines.

    python -m clusterwright_rehearsal.worker --run ID --folder DIR --image DIR --world NAME

It prints `ready http://localhost:PORT`, answers requests on the run's control socket, and ends on
SIGTERM, or when its parent has ended (end of its standard input) unless the run is kept. At the
end it removes everything that it created. After a `kill -9`, `runs.remove_run` does that.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import select
import signal
import socketserver
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from clusterwright_localaws.drivers import (
    Fault,
    NodeOrder,
    Serving,
    attach_cluster_driver,
    attach_node_driver,
    attach_pcs_driver,
    end_version,
    load_world,
    serving,
)
from clusterwright_rehearsal.locks import exclusive, shared
from clusterwright_rehearsal.nodes import images
from clusterwright_rehearsal.nodes.vpc import Vpc
from clusterwright_rehearsal.platforms.hyperpod.driver import HyperPod, Settings
from clusterwright_rehearsal.platforms.hyperpod.node import HyperPodNode
from clusterwright_rehearsal.platforms.parallelcluster import driver as parallelcluster
from clusterwright_rehearsal.platforms.parallelcluster.cluster_nodes import ClusterNode
from clusterwright_rehearsal.platforms.parallelcluster.node import ParallelClusterNode
from clusterwright_rehearsal.platforms.parallelcluster.settings import (
    Settings as ParallelClusterSettings,
)
from clusterwright_rehearsal.platforms.pcs.driver import Pcs
from clusterwright_rehearsal.platforms.pcs.members import Member
from clusterwright_rehearsal.platforms.pcs.node import PcsNode
from clusterwright_rehearsal.platforms.pcs.settings import Settings as PcsSettings
from clusterwright_rehearsal.runs import Run, raised_inotify_limit, remove_run

Operation = Callable[..., Any]
AnyNode = HyperPodNode | ParallelClusterNode | PcsNode


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="clusterwright_rehearsal.worker")
    parser.add_argument("--run", required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--image", type=Path, default=None)
    parser.add_argument("--lifecycle", type=Path, default=None)
    parser.add_argument("--world", default="generous")
    parser.add_argument("--account", default=None)
    parser.add_argument("--newer-image", action="append", default=[], metavar="VERSION=DIR")
    options = parser.parse_args(arguments)
    newer = {
        version: Path(root)
        for version, _, root in (one.partition("=") for one in options.newer_image)
    }
    run = Run(options.run, options.folder)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    world = load_world(options.world)
    if options.account:
        world = world.model_copy(update={"account": options.account})
    with exclusive(run.lock), serving(world) as found, contextlib.ExitStack() as stack:
        if options.image is not None:
            # Held as long as there are machines, also after the parent process has ended.
            for root in (options.image, *newer.values()):
                stack.enter_context(shared(images.lock_of(root)))
            stack.enter_context(raised_inotify_limit())
            worker = Worker(run, options.image, found, options.lifecycle, newer)
            stack.enter_context(worker.running())
        print(f"ready {found.url}", flush=True)
        found.warm()
        abandoned = _wait(stop, run)
    if abandoned:
        remove_run(run)
    return 0


class Worker:
    """The machines of a run, and the operations of its control socket."""

    def __init__(
        self,
        run: Run,
        image: Path,
        found: Serving,
        lifecycle: Path | None = None,
        newer: Mapping[str, Path] | None = None,
    ) -> None:
        self._run = run
        self._serving = found
        self._timeline_lock = threading.Lock()
        self._vpc = Vpc(run.id, run.folder, image, found)
        self._settings = Settings(lifecycle=lifecycle)
        self._hyperpod = HyperPod(
            found.runtime, found.url, self._vpc, self._settings, self._record_event
        )
        self._pcluster_settings = ParallelClusterSettings()
        self._pcluster = parallelcluster.ParallelCluster(
            found.url, self._vpc, self._pcluster_settings, self._record_event
        )
        self._pcs_settings = PcsSettings(images=dict(newer or {}))
        self._pcs = Pcs(
            found.runtime, found.url, self._vpc, self._pcs_settings, self._record_event
        )

    @contextlib.contextmanager
    def running(self) -> Any:
        server = _Server(str(self._run.control), self)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            with (
                attach_node_driver(self._serving.runtime, self._hyperpod),
                attach_cluster_driver(self._serving.runtime, self._pcluster),
                attach_pcs_driver(self._serving.runtime, self._pcs),
            ):
                yield
        finally:
            self._hyperpod.close()
            self._pcluster.close()
            self._pcs.close()
            self._vpc.close()
            server.shutdown()

    def execute(self, request: Mapping[str, Any]) -> Any:
        """Execute one request of the control socket and return its result.

        Raises
        ------
        LookupError
            The operation or the node does not exist.
        """
        arguments = dict(request)
        name = arguments.pop("do")
        operation: Operation | None = getattr(self, f"do_{name}", None)
        if operation is None:
            raise LookupError(f"no operation {name}")
        return operation(**arguments)

    # --- operations of the control socket

    def do_nodes(self) -> list[dict[str, Any]]:
        found: list[AnyNode] = [*self._hyperpod.nodes(), *self._pcluster.nodes()]
        return [_described(node) for node in [*found, *self._pcs.nodes()]]

    def do_crash(self, node: str) -> None:
        self._node(node).machine.crash()

    def do_start_again(self, node: str) -> None:
        """End protected mode of ParallelCluster for a node."""
        self._pcluster.start_again(self._node(node).machine.name)

    def do_reboot(self, node: str) -> None:
        """Reboot an instance of AWS PCS."""
        self._pcs.reboot(node)

    def do_end_version(self, account: str, region: str, version: str) -> None:
        """End a Slurm version of AWS PCS: its clusters are suspended."""
        end_version(self._serving.runtime, account, region, version)

    def do_end_credentials(self) -> None:
        """End the credentials of all instances; the metadata service issues new ones."""
        self._serving.runtime.ended_keys |= self._vpc.metadata.renew_credentials()

    def do_isolate(self, node: str) -> None:
        self._vpc.network.isolate(self._node(node).machine.name)

    def do_reconnect(self, node: str) -> None:
        self._vpc.network.reconnect(self._node(node).machine.name)

    def do_fault(self, **fault: Any) -> None:
        """Add a fault to the world, with the fields of world files."""
        runtime = self._serving.runtime
        with runtime.lock:
            runtime.set_faults([*runtime.world.faults, Fault.model_validate(fault)])

    def do_clear_faults(self) -> None:
        """Remove every fault from the world."""
        self._serving.runtime.set_faults([])

    def do_databases(self, up: bool) -> None:
        """Start or stop the RDS databases."""
        if up:
            self._vpc.databases.start()
        else:
            self._vpc.databases.stop()

    def do_settings(self, **changes: Any) -> None:
        for name, value in changes.items():
            known = [
                settings
                for settings in (self._settings, self._pcluster_settings, self._pcs_settings)
                if hasattr(settings, name)
            ]
            if not known:
                raise LookupError(f"no setting {name}")
            for settings in known:
                setattr(settings, name, value)

    def do_spot_notice(self, node: str, in_seconds: float) -> None:
        from datetime import UTC, datetime, timedelta

        when = datetime.now(UTC) + timedelta(seconds=in_seconds)
        self._vpc.metadata.set_spot_notice(self._node(node).order.address, "terminate", when)

    def _node(self, name: str) -> AnyNode:
        found = self._hyperpod.node(name) or self._pcluster.node(name) or self._pcs.node(name)
        if found is None:
            raise LookupError(f"no node {name}")
        return found

    def _record_event(
        self, event: str, order: NodeOrder | ClusterNode | Member, **more: Any
    ) -> None:
        line = {
            "time": time.time(),
            "event": event,
            "node": order.name,
            "instance_id": order.instance_id,
            **more,
        }
        with self._timeline_lock, self._run.timeline.open("a") as file:
            file.write(json.dumps(line) + "\n")


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, path: str, worker: Worker) -> None:
        self.worker = worker
        super().__init__(path, _RequestHandler)
        os.chmod(path, 0o600)  # noqa: PTH101  a socket


class _RequestHandler(socketserver.StreamRequestHandler):
    """One JSON request per line, one JSON answer per line."""

    server: _Server

    def handle(self) -> None:
        for line in self.rfile:
            try:
                answer = {"ok": self.server.worker.execute(json.loads(line))}
            except Exception as error:  # noqa: BLE001  returned to the client
                if not isinstance(error, LookupError):
                    traceback.print_exc()
                answer = {"error": f"{type(error).__name__}: {error}"}
            self.wfile.write(json.dumps(answer).encode() + b"\n")


def _described(node: AnyNode) -> dict[str, Any]:
    return {
        "name": node.order.name,
        "host": node.machine.name,
        "group": node.order.group_name,
        "role": node.role,
        "address": node.order.address,
        "instance_id": node.order.instance_id,
        "instance_type": node.instance_type,
        "up": node.machine.is_up(),
        "leader": node.machine.leader,
        "phase": node.phase,
        "timings": node.timings,
    }


def _wait(stop: threading.Event, run: Run) -> bool:
    """Wait for a stop signal or the end of the parent; return whether the run is abandoned."""
    while not stop.is_set():
        readable, _, _ = select.select([sys.stdin], [], [], 0.2)
        if readable and not os.read(sys.stdin.fileno(), 1024):
            if not run.keep_mark.exists():
                return True
            stop.wait()
    return False


if __name__ == "__main__":
    sys.exit(main())
