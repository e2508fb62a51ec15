"""The context of a scenario: inspect nodes, run commands, submit jobs, inject faults, deploy.

A scenario is a module of `scenarios/`, or a file given with `--scenario`, with

* a docstring, whose first line is its title;
* `PROMISES`: name → sentence, in the order in which they are checked;
* `ORDER`: a number; the scenarios of a cluster run in this order (default 500);
* `NEEDS_COMPUTE`: the minimum number of compute nodes (default 1);
* `MODES`: where it applies: `managed` and `scripted` on HyperPod, `parallelcluster`, `pcs`
  (default: all);
* `ANY_SCRIPTS`: True if it applies to custom lifecycle scripts too (`--lifecycle`);
* `SECONDS`: its typical duration, for the estimate before a rehearsal (default 30);
* `DEFAULT`: True if it runs without `--scenario` and `--all`;
* `PACKAGES`: Debian packages that its nodes need beyond those of the node image. An image with
  them is built; `--all` omits the scenario, only `--scenario` runs it;
* `NEWER_SLURM`: True if it updates a cluster of AWS PCS to the Slurm of a newer Debian suite, of
  which an image is built too;
* `run(context)`: the scenario. (`play(stage)`, its former name, is accepted.)

Each promise is one `with` block, whose duration is measured. Inside the block, whatever is not as
promised raises `Broken`, usually through `expect`, `must` and `wait_for`, whose text is shown in
the verdict:

    def run(context: ScenarioContext) -> None:
        with context.promise("job-runs"):
            job = context.submit("srun hostname", nodes=2)
            job.wait("COMPLETED", within_s=60)
            context.expect(len(job.output().split()) == 2, f"expected 2 hosts: {job.output()!r}")

`context.skip` leaves a scenario before its first promise if it does not apply to the cluster. A
broken promise ends the scenario; its remaining promises are unknown ("not reached").
`context.cannot_determine` ends it with unknown instead. A scenario undoes its changes in a
`finally` block: the next scenario runs on the same cluster, and starts when every node is idle
(`context.wait_idle`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright_rehearsal import artefact_mirror, cluster_size
from clusterwright_rehearsal.cdk import Cdk
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.scenario_api.cluster_access import ClusterAccess
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.outcomes import Broken
from clusterwright_rehearsal.worker_client import WorkerClient

_CANCEL = "scancel --state=PENDING; scancel --state=RUNNING"
_CANCEL_BUT_TESTS = (
    "squeue --noheader --states=PENDING,RUNNING --format='%A %j'"
    " | awk '$2 !~ /^clusterwright-acceptance/ {print $1}' | xargs --no-run-if-empty scancel"
)


class ScenarioContext(ClusterAccess):
    """What `run(context)` of a scenario receives: one cluster that is deployed and running."""

    def __init__(
        self,
        *,
        worker: WorkerClient,
        image: Path,
        cluster: Cluster,
        spec: Mapping[str, Any],
        cdk: Cdk,
        work: Path,
        default_scripts: bool = True,
    ) -> None:
        super().__init__(worker=worker, image=image, cluster=cluster)
        self.default_scripts = default_scripts
        """Whether the nodes run Clusterwright's lifecycle scripts, not custom ones."""
        self.cdk = cdk
        self.spec = dict(spec)
        """The resolved spec that is deployed now."""
        self._work = work

    @property
    def folder(self) -> Path:
        """A folder of the run for the scenario's own files; removed with the run."""
        return self._work

    def deploy(
        self, change: Callable[[dict[str, Any]], None], artefacts: Path | None = None
    ) -> None:
        """Change the spec and deploy it, as a user would. Raises `Broken` if cdk fails.

        The artefacts that nodes will download are mirrored first, from the folder `artefacts` or
        from the cache of `clusterwright artefacts mirror`.
        """
        data = json.loads(json.dumps(self.spec))
        change(data)
        path = cluster_size.write(data, self._work / f"spec-{time.monotonic_ns()}")
        try:
            assembly = self.cdk.synthesise(path)
            needed = artefact_mirror.needed_artefacts(assembly)
            if needed is not None:
                lock = artefact_mirror.lock_path(data)
                artefact_mirror.mirror_to_bucket(self.aws("s3"), needed, lock, artefacts)
            self.cdk.deploy(assembly)
        except RehearsalError as error:
            raise Broken(error.message) from error
        self.spec = data

    # --- waiting for the cluster

    @property
    def is_held(self) -> bool:
        """Whether the controller reserves nodes until it has accepted them (HyperPod)."""
        return self.cluster.acceptance.hold and self.cluster.on_hyperpod

    def wait_idle(self, *, within_s: float = 120.0, or_held: bool = False) -> None:
        """Cancel all jobs and wait until every node is Running and every compute node idle.

        A node can take jobs before its scripts have ended, and HyperPod reports a cluster as
        InService before all its nodes are Running. With `acceptance.hold` a compute node is idle
        when it is accepted too; with `or_held` also while the hold reserves it. The jobs of its
        tests are not cancelled.
        """
        self.controller.run(_CANCEL_BUT_TESTS if self.is_held else _CANCEL)
        ready = ("idle", "reserved") if or_held else ("idle",)

        def busy() -> str | None:
            statuses = {name: row["InstanceStatus"] for name, row in self.api_nodes().items()}
            pending = [
                f"{name} is {_words(status)}"
                for name, status in statuses.items()
                if status["Status"] != "Running"
            ]
            if pending:
                return ", ".join(pending)
            nodes = self.compute
            states = {
                line.split()[0]: line.split()[1].lower()
                for line in self.slurm("sinfo -h -N -o '%N %T'").splitlines()
                if line.strip()
            }
            wrong = [
                f"{n.host} is {states.get(n.host)}"
                for n in nodes
                if states.get(n.host) not in ready
            ]
            return ", ".join(wrong) or None

        self.wait_for(busy, within_s=within_s)

    def wait_running(
        self, node: Node, *, but: str | None = None, within_s: float = 180.0
    ) -> float:
        """Wait until the API reports the node as Running, with an instance other than `but`."""

        def not_yet() -> str | None:
            facts = self.facts(node.name)
            status = self.api_nodes().get(node.name, {}).get("InstanceStatus", {})
            if status.get("Status") == "Failure":
                raise Broken(f"{node} is {_words(status)}")
            if facts["instance_id"] == but:
                return f"{node} is still {but}"
            return None if status.get("Status") == "Running" else f"{node} is {status}"

        return self.wait_for(not_yet, within_s=within_s)

    # --- faults, reboots and replacements

    def crash(self, node: Node) -> None:
        """Terminate the instance without a shutdown; HyperPod detects the loss by itself."""
        self.worker.ask("crash", node=node.name)

    def isolate(self, node: Node) -> None:
        """Disconnect the node from the network while it keeps running."""
        self.worker.ask("isolate", node=node.name)

    def reconnect(self, node: Node) -> None:
        """Undo `isolate`."""
        self.worker.ask("reconnect", node=node.name)

    def deny(self, service: str, operation: str, error: str = "AccessDenied") -> None:
        """Make the local AWS refuse an operation until `allow_all`."""
        self.worker.ask("fault", service=service, operation=operation, error=error)

    def allow_all(self) -> None:
        """Undo every `deny`."""
        self.worker.ask("clear_faults")

    def hold_scripts(self, hold: bool) -> None:
        """Make new nodes wait before they run their lifecycle script, or let them continue."""
        self.worker.ask("settings", hold_scripts=hold)

    def set_detection(self, seconds: float) -> None:
        """Set how long HyperPod takes to detect a lost instance."""
        self.worker.ask("settings", detection_s=seconds)

    def replace(self, node: Node) -> None:
        """Call BatchReplaceClusterNodes; return when the API has accepted the request."""
        self._batch("replace", node)

    def reboot(self, node: Node) -> None:
        """Call BatchRebootClusterNodes; return when the API has accepted the request."""
        self._batch("reboot", node)

    # Former names, for scenario files that use them.
    settle = wait_idle
    cut = isolate
    mend = reconnect
    mend_aws = allow_all

    def _batch(self, action: str, node: Node) -> None:
        call = getattr(self.aws("sagemaker"), f"batch_{action}_cluster_nodes")
        answer = call(ClusterName=self.cluster.environment, NodeIds=[node.instance_id])
        self.expect(not answer.get("Failed"), f"{action} {node}: {answer.get('Failed')}")


def _words(status: Mapping[str, Any]) -> str:
    """The status of a node in the API, with its message if there is one."""
    return ": ".join(str(status[key]) for key in ("Status", "Message") if status.get(key))
