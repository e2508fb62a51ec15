"""What a scenario can do: look at nodes, run things on them, submit jobs, break things, deploy.

A scenario is a module of `scenarios/` (or a file that `--scenario` names) with

* a docstring, whose first line is its title;
* `PROMISES`: name → sentence, in the order in which they are kept;
* `ORDER`: a number; scenarios of one cluster run in this order (default 500);
* `NEEDS_COMPUTE`: how many compute nodes it needs at least (default 1);
* `MODES`: what it is for: `managed` and `scripted` on HyperPod, `parallelcluster` (default: all);
* `ANY_SCRIPTS`: True where it holds for lifecycle scripts that are not ours (`--lifecycle`);
* `play(stage)`: the story.

Each promise is one `with` block, which measures its time. Inside, whatever is not as promised
raises `Broken`, best through `expect`, `must` and `wait_for`, whose words end up in the verdict:

    def play(stage: Stage) -> None:
        with stage.promise("job-runs"):
            job = stage.submit("srun hostname", nodes=2)
            job.wait("COMPLETED", within_s=60)
            stage.expect(len(job.output().split()) == 2, f"two hosts, not {job.output()!r}")

`stage.not_for_this` leaves a scenario before its first promise, where the cluster has nothing for
it. A broken promise ends the scenario: its later promises are unknown ("not reached").
`stage.cannot` ends it with unknown instead. Whatever a scenario breaks it mends, in a `finally`:
the next gets the same cluster, and is asked to begin only once every node is idle again
(`stage.settle`).
"""

from __future__ import annotations

import contextlib
import json
import shlex
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright_rehearsal import artefact_mirror, cluster_size, registry
from clusterwright_rehearsal.cdk import Cdk
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.aws_clients import Account
from clusterwright_rehearsal.nodes.machines import Gone, Machine, Ran, Site, kill_group
from clusterwright_rehearsal.nodes.network import Network
from clusterwright_rehearsal.platforms.hyperpod.node import SCRIPTS
from clusterwright_rehearsal.verdict import Promise
from clusterwright_rehearsal.worker_client import EngineHandle

_POLL_S = 0.25
_BUSY = ("Socket timed out", "Unable to contact slurm controller", "Connection refused")
_BUSY_S = 30.0


class Broken(Exception):
    """A promise does not hold; the text says what was seen instead."""


class CannotTell(Exception):
    """A promise cannot be looked at here; the text says why."""


class NotForThis(Exception):
    """The scenario has nothing to look at in this cluster; the text says why."""


class Node:
    """One node of the cluster, by its name in the API (`workers-1`).

    It stands for the place, not for the instance: after a replacement the same object is the new
    instance.
    """

    def __init__(self, stage: Stage, facts: Mapping[str, Any]) -> None:
        self._stage = stage
        self._facts = dict(facts)

    def __repr__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The name in the API: group and number."""
        return str(self._facts["name"])

    @property
    def host(self) -> str:
        """The host name, which is Slurm's name of it too."""
        return str(self._facts["host"])

    @property
    def group(self) -> str:
        """The instance group."""
        return str(self._facts["group"])

    @property
    def role(self) -> str:
        """`controller`, `login` or `compute`."""
        return str(self._facts["role"])

    @property
    def address(self) -> str:
        """The IPv4 address; a replacement has the same."""
        return str(self._facts["address"])

    @property
    def instance_id(self) -> str:
        """The instance that is there now; asks the engine."""
        return str(self._stage.facts(self.name)["instance_id"])

    @property
    def is_up(self) -> bool:
        """Whether the machine runs."""
        return self._machine().is_up()

    def run(
        self,
        command: str,
        *,
        user: str = "root",
        timeout_s: float = 120.0,
        environment: Mapping[str, str] | None = None,
        stdin: str | None = None,
    ) -> Ran:
        """Run a bash command on the node. Raises `Broken` where the node is not running."""
        try:
            return self._machine().run(
                command, user=user, timeout_s=timeout_s, environment=environment, stdin=stdin
            )
        except Gone as error:
            raise Broken(error.message) from None

    def must(self, command: str, **options: Any) -> str:
        """`run`, and raise `Broken` unless it exits with 0; returns its standard output."""
        ran = self.run(command, **options)
        if not ran.ok:
            raise Broken(f"on {self.name}, `{command}` exited {ran.returncode}: {ran.said}")
        return ran.stdout

    def write(self, path: str, text: str, mode: int = 0o644) -> None:
        """Write a file of the node."""
        self._machine().place({path: text}, mode=mode)

    def slurm_state(self) -> str:
        """As sinfo gives it, in small letters: `idle`, `down*`, `drained`."""
        return self._stage.slurm(f"sinfo -h -n {self.host} -o %T").split("\n")[0].strip().lower()

    # --- the node program

    def run_program(
        self, *, environment: Mapping[str, str] | None = None, timeout_s: float = 300.0
    ) -> ProgramRun:
        """Run the lifecycle script on the node again, as HyperPod ran it."""
        ran = self.run(self._stage.program, environment=environment, timeout_s=timeout_s)
        return ProgramRun(ran.returncode, ran.stdout, ran.stderr, ran.seconds)

    def kill_program_at(
        self, step: str, *, program: str | None = None, timeout_s: float = 300.0
    ) -> bool:
        """Start the lifecycle script and kill it (SIGKILL) as soon as it says that `step` begins.

        Returns whether it got there; what the step had started meanwhile goes on, as after a real
        kill. `program` is another command that runs the node program. Raises `Broken`
        where the node is not running.
        """
        machine = self._machine()
        try:
            process = machine.start(program or self._stage.program, merge=True)
        except Gone as error:
            raise Broken(error.message) from None
        assert process.stdout is not None
        watchdog = threading.Timer(timeout_s, kill_group, [process])
        watchdog.start()
        reached = False
        for line in process.stdout:
            with contextlib.suppress(ValueError, AttributeError):
                event = json.loads(line)
                if event.get("event") == "start" and event.get("step") == step:
                    reached = True
                    kill_group(process)
        process.wait()
        watchdog.cancel()
        return reached

    def put_fault(self, name: str, text: str = "") -> None:
        """Put a fault into the emulated hardware: `gpu-lost`, `lnet-silent`, ... (`image/`)."""
        self.must("mkdir -p /run/emulation/faults")
        self.write(f"/run/emulation/faults/{name}", text + "\n")

    def mend_fault(self, name: str) -> None:
        """Take a fault out of the emulated hardware again."""
        self.must(f"rm -f /run/emulation/faults/{name}")

    def _machine(self) -> Machine:
        return self._stage.machine(self.host, self.address)


@dataclass(frozen=True)
class ProgramRun:
    """One run of the node program, read from its JSON lines."""

    exit_code: int
    stdout: str
    stderr: str
    seconds: float

    @property
    def events(self) -> list[dict[str, Any]]:
        """Its JSON lines."""
        found = []
        for line in self.stdout.splitlines():
            with contextlib.suppress(ValueError):
                value = json.loads(line)
                if isinstance(value, dict):
                    found.append(value)
        return found

    @property
    def statuses(self) -> dict[str, str]:
        """Step → `applied`, `unchanged`, `skipped` or `failed`."""
        return {e["step"]: e["status"] for e in self.events if e.get("event") == "end"}

    @property
    def last_line(self) -> str:
        """What HyperPod would show as the last line of the script."""
        lines = self.stdout.strip().splitlines()
        return lines[-1] if lines else ""


class Job:
    """A job in Slurm."""

    def __init__(self, stage: Stage, number: str, output: str) -> None:
        self._stage = stage
        self.id = number
        self._output = output

    def show(self) -> dict[str, str]:
        """What scontrol says of it, key by key; empty once slurmctld has forgotten it."""
        ran = self._stage.controller.run(f"scontrol --oneliner show job {self.id}")
        words = (word.partition("=") for word in ran.stdout.split() if "=" in word)
        return {key: value for key, _, value in words} if ran.ok else {}

    @property
    def state(self) -> str:
        """As Slurm gives it: `PENDING`, `RUNNING`, `COMPLETED`; `UNKNOWN` once it is forgotten."""
        return self.show().get("JobState", "UNKNOWN")

    @property
    def hosts(self) -> list[str]:
        """The nodes it runs on, by Slurm's names."""
        nodes = self.show().get("NodeList", "")
        if nodes in ("", "(null)"):
            return []
        return self._stage.slurm(f"scontrol show hostnames {shlex.quote(nodes)}").split()

    def wait(self, state: str, *, within_s: float) -> None:
        """Until it is in a state. Raises `Broken` when time is up, or it ended otherwise."""

        def reached() -> str | None:
            shown = self.show()
            now = shown.get("JobState", "UNKNOWN")
            if now == state:
                return None
            if now in ("FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY"):
                raise Broken(f"job {self.id} is {now}: {self._why(shown)}")
            return f"job {self.id} is {now} ({shown.get('Reason', 'no reason')})"

        self._stage.wait_for(reached, within_s=within_s)

    def output(self) -> str:
        """What it has written to its standard output."""
        return self._stage.controller.run(f"cat {self._output}").stdout

    def cancel(self) -> None:
        """`scancel`."""
        self._stage.controller.run(f"scancel {self.id}")

    def _why(self, shown: Mapping[str, str]) -> str:
        return f"exit code {shown.get('ExitCode')}, output {self.output()[-300:]!r}"


class Stage:
    """The cluster that scenarios play on."""

    def __init__(
        self,
        *,
        engine: EngineHandle,
        image: Path,
        cluster: Cluster,
        spec: Mapping[str, Any],
        cdk: Cdk,
        work: Path,
        ours: bool = True,
    ) -> None:
        self.ours = ours
        """Whether the lifecycle scripts are ours, and not a folder of the user's."""
        self.engine = engine
        self.cluster = cluster
        self.cdk = cdk
        self.spec = dict(spec)
        """The resolved spec that is deployed now."""
        self._work = work
        self._account = Account(engine.url, cluster.account, cluster.region)
        run = engine.run
        made = registry.Registry(run.folder)
        self._site = Site(run.id, run.folder, image, Network(run.id, ["10.0.0.0/8"], made), made)
        self._machines: dict[str, Machine] = {}
        self._scenario = ""
        self._promises: dict[str, str] = {}
        self._notes: list[str] = []
        self._submitted = 0
        self.results: list[Promise] = []

    # --- promises

    def begin(self, scenario: str, promises: Mapping[str, str]) -> None:
        """For the rehearsal: what follows belongs to this scenario."""
        self._scenario, self._promises = scenario, dict(promises)

    @contextlib.contextmanager
    def promise(self, name: str) -> Iterator[None]:
        """What is inside keeps this promise of the scenario, or raises."""
        text = self._promises[name]
        started = time.monotonic()
        note = len(self._notes)
        try:
            yield
        except Broken as error:
            self._record(name, text, "broken", started, str(error))
            raise
        except CannotTell as error:
            self._record(name, text, "unknown", started, str(error))
            raise
        self._record(name, text, "held", started, "; ".join(self._notes[note:]) or None)

    def note(self, text: str) -> None:
        """Show a figure or a fact beside the promise that is being kept."""
        self._notes.append(text)

    def expect(self, right: object, otherwise: str) -> None:
        """Raise `Broken` with `otherwise` unless `right`."""
        if not right:
            raise Broken(otherwise)

    def cannot(self, why: str) -> NoReturn:
        """End the scenario: what comes cannot be found out here."""
        raise CannotTell(why)

    def not_for_this(self, why: str) -> NoReturn:
        """Leave a scenario that this cluster has nothing for; before its first promise."""
        raise NotForThis(why)

    def wait_for(self, probe: Callable[[], str | None], *, within_s: float) -> float:
        """Call `probe` until it gives None; otherwise it says what is still missing.

        Returns the seconds that it took; raises `Broken` with the probe's last words.
        """
        started = time.monotonic()
        while True:
            missing = probe()
            if missing is None:
                return time.monotonic() - started
            if time.monotonic() - started > within_s:
                raise Broken(f"after {within_s:.0f} s: {missing}")
            time.sleep(_POLL_S)

    # --- nodes

    def facts(self, name: str) -> dict[str, Any]:
        """What the engine knows of a node, by its name or host name: `instance_id`, `phase`..."""
        for found in self.engine.ask("nodes"):
            if name in (found["name"], found["host"]):
                return dict(found)
        raise Broken(f"there is no node {name}")

    def nodes(self, role: str | None = None, group: str | None = None) -> list[Node]:
        """The nodes that there are, sorted by name."""
        roles = {each.name: each.role for each in self.cluster.compute}
        found = [
            Node(self, {**facts, "role": roles.get(facts["group"], "compute")})
            for facts in self.engine.ask("nodes")
        ]
        return sorted(
            (n for n in found if role in (None, n.role) and group in (None, n.group)),
            key=lambda node: (node.group, int(node.name.rpartition("-")[2])),
        )

    def node(self, name: str) -> Node:
        """A node by its name in the API, or by its host name."""
        for found in self.nodes():
            if name in (found.name, found.host):
                return found
        raise Broken(f"there is no node {name}")

    @property
    def controller(self) -> Node:
        """The first node of role controller."""
        return self.nodes("controller")[0]

    @property
    def compute(self) -> list[Node]:
        """The nodes of role compute."""
        return self.nodes("compute")

    @property
    def entry(self) -> str:
        """The lifecycle script that HyperPod calls in this configuration."""
        managed = self.cluster.slurm.configuration == "managed"
        return "on_init_complete.sh" if managed else "on_create.sh"

    @property
    def program(self) -> str:
        """The command that runs the lifecycle script on a node again."""
        return f"cd {SCRIPTS} && exec ./{self.entry}"

    def machine(self, host: str, address: str) -> Machine:
        """For `Node`: the machine behind a host name, found by the note that its engine left."""
        found = self._machines.setdefault(host, Machine(self._site, host, address))
        # ParallelCluster's replacements have an address of their own.
        found.address = address
        found.find()
        return found

    # --- Slurm

    def slurm(self, command: str, *, timeout_s: float = 60.0) -> str:
        """A command on the controller that has to succeed; returns its standard output.

        Where slurmctld is busy (it reads its configuration anew, say) the command is tried again
        for a while, as a user would.
        """
        controller, started = self.controller, time.monotonic()
        while True:
            ran = controller.run(command, timeout_s=timeout_s)
            if ran.ok:
                return ran.stdout
            busy = any(words in ran.stderr for words in _BUSY)
            if not busy or time.monotonic() - started > _BUSY_S:
                raise Broken(f"`{command}` exited {ran.returncode}: {ran.said}")
            time.sleep(1.0)

    def submit(
        self,
        script: str,
        *,
        nodes: int = 1,
        options: Sequence[str] = (),
        user: str = "ubuntu",
        folder: str | None = None,
    ) -> Job:
        """`sbatch` of a bash script (without its first line), from the shared file system.

        `options` are sbatch's (`--gres=gpu:1`). Output goes to a file of the shared folder.
        """
        place = folder or self.shared_folder
        controller = self.controller
        controller.must(f"mkdir -p {place} && chmod 1777 {place}")
        # A controller that is replaced forgets its jobs, and numbers new ones from 1 again.
        self._submitted += 1
        output = f"{place}/job-{self._submitted}-%j.out"
        words = ["sbatch", "--parsable", f"--nodes={nodes}", f"--output={output}"]
        words += ["--open-mode=append", *options]
        number = controller.must(
            f"cd {place} && {shlex.join(words)}", user=user, stdin=f"#!/bin/bash\n{script}\n"
        )
        number = number.strip().partition(";")[0]
        return Job(self, number, output.replace("%j", number))

    @property
    def shared_folder(self) -> str:
        """A folder that every node sees; without shared storage, `CannotTell`."""
        lustre = self.cluster.storage.lustre
        if not lustre:
            raise CannotTell("the spec has no shared file system")
        return f"{lustre[0].mount_path}/rehearsal"

    def settle(self, *, within_s: float = 120.0) -> None:
        """Until every node is Running, every compute node is idle, and no job is left.

        A node can take jobs before its scripts have ended, and HyperPod calls a cluster InService
        before all its nodes are Running.
        """
        self.controller.run("scancel --state=PENDING; scancel --state=RUNNING")

        def busy() -> str | None:
            statuses = {
                name: entry["InstanceStatus"]["Status"] for name, entry in self.api_nodes().items()
            }
            coming = [f"{name} is {s}" for name, s in statuses.items() if s != "Running"]
            if coming:
                return ", ".join(coming)
            nodes = self.compute
            states = {
                line.split()[0]: line.split()[1].lower()
                for line in self.slurm("sinfo -h -N -o '%N %T'").splitlines()
                if line.strip()
            }
            wrong = [
                f"{n.host} is {states.get(n.host)}" for n in nodes if states.get(n.host) != "idle"
            ]
            return ", ".join(wrong) or None

        self.wait_for(busy, within_s=within_s)

    # --- AWS

    def aws(self, service: str) -> Any:
        """A boto3 client of the local AWS, with every right."""
        return self._account.client(service)

    def api_nodes(self) -> dict[str, dict[str, Any]]:
        """ListClusterNodes by the node's name (`workers-1`)."""
        pages = (
            self.aws("sagemaker")
            .get_paginator("list_cluster_nodes")
            .paginate(ClusterName=self.cluster.environment)
        )
        by_id = {facts["instance_id"]: facts["name"] for facts in self.engine.ask("nodes")}
        return {
            by_id.get(entry["InstanceId"], entry["InstanceId"]): entry
            for page in pages
            for entry in page["ClusterNodeSummaries"]
        }

    def logs(self, node: Node) -> list[str]:
        """What the node's lifecycle scripts wrote to CloudWatch Logs, oldest first."""
        logs = self.aws("logs")
        arn = self.aws("sagemaker").describe_cluster(ClusterName=self.cluster.environment)[
            "ClusterArn"
        ]
        group = f"/aws/sagemaker/Clusters/{self.cluster.environment}/{arn.rpartition('/')[2]}"
        stream = f"LifecycleConfig/{node.group}/{node.instance_id}"
        found: list[str] = []
        token: dict[str, str] = {}
        while True:
            try:
                page = logs.get_log_events(
                    logGroupName=group, logStreamName=stream, startFromHead=True, **token
                )
            except logs.exceptions.ResourceNotFoundException:
                return found  # nothing was written yet
            if not page["events"]:
                return found
            found += [event["message"] for event in page["events"]]
            token = {"nextToken": page["nextForwardToken"]}

    @property
    def folder(self) -> Path:
        """Of the run, for files of a scenario's own; it goes when the run ends."""
        return self._work

    def deploy(
        self, change: Callable[[dict[str, Any]], None], artefacts: Path | None = None
    ) -> None:
        """Change the spec and deploy it, as a user would. Raises `Broken` where cdk fails.

        What nodes will fetch is mirrored first, from the folder `artefacts` or from where `mirror`
        keeps files.
        """
        data = json.loads(json.dumps(self.spec))
        change(data)
        path = cluster_size.write(data, self._work / f"spec-{time.monotonic_ns()}")
        try:
            assembly = self.cdk.synthesise(path)
            found = artefact_mirror.wanted(assembly)
            if found is not None:
                artefact_mirror.bring(
                    self.aws("s3"), found, artefact_mirror.lock_of(data), artefacts
                )
            self.cdk.deploy(assembly)
        except RehearsalError as error:
            raise Broken(error.message) from error
        self.spec = data

    # --- breaking and mending

    def crash(self, node: Node) -> None:
        """The instance is lost at once; HyperPod notices by itself."""
        self.engine.ask("crash", node=node.name)

    def cut(self, node: Node) -> None:
        """Nothing reaches the node any more, though it runs."""
        self.engine.ask("cut", node=node.name)

    def mend(self, node: Node) -> None:
        """Undo `cut`."""
        self.engine.ask("mend", node=node.name)

    def deny(self, service: str, operation: str, error: str = "AccessDenied") -> None:
        """Let the local AWS refuse an operation until `mend_aws`."""
        self.engine.ask("fault", service=service, operation=operation, error=error)

    def mend_aws(self) -> None:
        """Undo every `deny`."""
        self.engine.ask("mend_aws")

    def hold_scripts(self, hold: bool) -> None:
        """Let new nodes wait before their lifecycle script is run, or go on."""
        self.engine.ask("settings", hold_scripts=hold)

    def set_detection(self, seconds: float) -> None:
        """How long HyperPod takes to notice that an instance is lost."""
        self.engine.ask("settings", detection_s=seconds)

    def replace(self, node: Node) -> None:
        """BatchReplaceClusterNodes; returns when the API has taken the order."""
        self._batch("replace", node)

    def reboot(self, node: Node) -> None:
        """BatchRebootClusterNodes."""
        self._batch("reboot", node)

    def _batch(self, what: str, node: Node) -> None:
        call = getattr(self.aws("sagemaker"), f"batch_{what}_cluster_nodes")
        answer = call(ClusterName=self.cluster.environment, NodeIds=[node.instance_id])
        self.expect(not answer.get("Failed"), f"{what} {node}: {answer.get('Failed')}")

    def wait_running(
        self, node: Node, *, but: str | None = None, within_s: float = 180.0
    ) -> float:
        """Until the API calls the node Running (and it is not the instance `but` any more)."""

        def not_yet() -> str | None:
            facts = self.facts(node.name)
            status = self.api_nodes().get(node.name, {}).get("InstanceStatus", {})
            if status.get("Status") == "Failure":
                raise Broken(f"{node} is Failure: {status.get('Message')}")
            if facts["instance_id"] == but:
                return f"{node} is still {but}"
            return None if status.get("Status") == "Running" else f"{node} is {status}"

        return self.wait_for(not_yet, within_s=within_s)

    def _record(
        self, name: str, text: str, status: Any, started: float, reason: str | None
    ) -> None:
        seconds = time.monotonic() - started
        self.results.append(
            Promise(f"{self._scenario}.{name}", self._scenario, text, status, seconds, reason)
        )
