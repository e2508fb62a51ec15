"""Creates simulated nodes, runs the program on them, kills it, and compares the results."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import io
import json
import os
import re
import signal
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clusterwright_node import parallelcluster, pcs
from clusterwright_node.inputs import RESOURCE_CONFIG
from clusterwright_node.journal import JOURNAL
from clusterwright_node.log import LOG
from clusterwright_node.main import main

from tests.nodes.fake_machine import FakeMachine

MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
_REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "node-files.md"
RESOURCES = json.loads((Path(__file__).parent / "data" / "resource_config.json").read_text())
MUNGE_SECRET = "arn:aws:secretsmanager:us-east-1:111122223333:secret:prod/munge-key-AbCdEf"
_INSTANCE_STORE = "Amazon EC2 NVMe Instance Storage"


@dataclass
class Run:
    """Result of one run of the program."""

    code: int
    lines: list[dict[str, Any]]
    last: str
    machine: FakeMachine
    text: str = field(repr=False, default="")

    def statuses(self) -> dict[str, str]:
        """Step name to its status."""
        return {row["step"]: row["status"] for row in self.lines if row["event"] == "end"}

    def end_of(self, step: str) -> dict[str, Any]:
        return next(row for row in self.lines if row["event"] == "end" and row["step"] == step)

    def notices(self) -> list[str]:
        return [row["text"] for row in self.lines if row["event"] == "notice"]


@dataclass
class World:
    """One simulated node: `root/` is its disk, `state.json` the rest, `inputs/` the scripts'
    folder.
    """

    folder: Path
    configuration: str
    groups: Sequence[str] = ()
    """The arguments of ParallelCluster's custom action, or of PCS's lifecycle action."""

    @property
    def root(self) -> Path:
        return self.folder / "root"

    @property
    def state(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads((self.folder / "state.json").read_text())
        return loaded

    def change(self, **changes: Any) -> None:
        """Set parts of the machine's state."""
        state = self.state
        state.update(changes)
        (self.folder / "state.json").write_text(json.dumps(state))

    def edit(self, name: str, edit: Callable[[Any], None]) -> None:
        """Edit one of the input files."""
        path = self.folder / "inputs" / name
        value = json.loads(path.read_text())
        edit(value)
        path.write_text(json.dumps(value))

    def run(
        self,
        kill_at: int | None = None,
        configuration: str | None = None,
        only: Sequence[str] = (),
        copies: Mapping[int, Path] | None = None,
    ) -> Run:
        """Run the program in this process; with `steps`, only these."""
        machine = FakeMachine(self.folder, kill_at, copies)
        stream = io.StringIO()
        arguments = ["--configuration", configuration or self.configuration]
        arguments += ["--inputs", str(self.folder / "inputs"), "--lock-wait-seconds", "0"]
        arguments += [f"--only={step}" for step in only]
        arguments += [f"--group={word}" for word in self.groups]
        code = main(arguments, machine=machine, stream=stream, use_alarm=False)
        machine.save()
        text = stream.getvalue().splitlines()
        lines = [json.loads(line) for line in text if line.startswith("{")]
        return Run(code, lines, text[-1], machine, stream.getvalue())

    def run_and_be_killed(self, kill_at: int) -> bool:
        """Runs the program in a process of its own that SIGKILLs itself at the given point.

        Returns whether it came that far.
        """
        child = os.fork()
        if child == 0:
            try:
                self.run(kill_at)
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL

    def picture(self) -> dict[str, Any]:
        """Everything that is equal on two converged machines."""
        files = {}
        machine = FakeMachine(self.folder)
        marker = re.compile(r"\d+ messages")
        for folder, folders, names in os.walk(self.root):
            for entry in (*folders, *names):
                path = f"{folder}/{entry}"
                name = path[len(str(self.root)) :]
                if name == LOG or name.startswith("/run/clusterwright/node.lock"):
                    continue
                kind = os.lstat(path).st_mode
                if stat.S_ISLNK(kind):
                    files[name] = f"a link to {Path(path).readlink()}"
                    continue
                owner = "0 0"
                with contextlib.suppress(FileNotFoundError):
                    owner = machine.owner_note(path).read_text()
                mode = f"{oct(kind)} {owner}"
                if stat.S_ISREG(kind):
                    text = Path(path).read_bytes().decode()
                    text = marker.sub("N messages", text) if " messages" in text else text
                    mode = f"{mode} {text}"
                files[name] = mode
        state = copy.deepcopy(self.state)
        for counters in state["lnet"].values():
            counters.update(send=0, recv=0)
        # A second reload or reconfiguration is harmless and leaves no trace.
        state.pop("reconfigured")
        state["mounts"].sort(key=lambda row: row["target"])
        return {"files": files, "state": state}

    def journal(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads((self.root / JOURNAL.lstrip("/")).read_text())
        return loaded


def make_world(folder: Path, node: str, configuration: str, **changes: Any) -> World:
    """A node of the cluster in docs/reference/node-files.md before its first run."""
    instance = _instance(node)
    world = World(folder, configuration)
    (folder / "inputs").mkdir(parents=True)
    for name, value in input_files(configuration).items():
        (folder / "inputs" / name).write_text(json.dumps(value))
    if configuration not in ("parallelcluster", "pcs"):
        _write(world, RESOURCE_CONFIG, json.dumps(RESOURCES))
    is_worker = node.startswith("workers")
    state = _fresh_state(instance["CustomerIpAddress"])
    if is_worker:
        state["disks"].update({f"/dev/nvme{n}n1": _INSTANCE_STORE for n in range(1, 4)})
        for number in range(79, 87):
            _write(world, f"/sys/class/infiniband/rdmap{number}s0/device/vendor", "0x1d0f\n")
    if configuration == "parallelcluster":
        _as_parallelcluster_does(world, node, instance, state)
    if configuration == "pcs":
        _as_pcs_does(world, node, instance)
    elif configuration != "scripted":
        state["mounts"] += [
            _mount("/fsx", "10.1.0.99@tcp:/abcdefgh", "lustre"),
            _mount("/home", "fs-0fedcba9876543210.fsx.us-east-1.amazonaws.com:/fsx", "nfs4"),
        ]
        state["controller_up"] = True
        for path in ("fsx", "home"):
            (world.root / path).mkdir(parents=True)
    elif node.startswith("controller"):
        _write(world, "/opt/slurm/etc/slurm.conf", _SLURM_CONF)
    else:
        state["controller_up"] = True
    _write_image(world)
    state.update(changes)
    (folder / "state.json").write_text(json.dumps(state))
    return world


def _write_image(world: World) -> None:
    """The contents of every image."""
    for path in ("/usr/bin/enroot", "/usr/local/lib/slurm/spank_pyxis.so", "/usr/bin/mount-s3"):
        _write(world, path, "")
    _write(world, "/etc/munge/munge.key", "the image's")
    for module in ("pam_slurm_adopt.so", "pam_listfile.so"):
        _write(world, "/usr/lib/x86_64-linux-gnu/security/" + module, "")
    for name, text in PAM_UBUNTU.items():
        _write(world, "/etc/pam.d/" + name, text)
    _write(world, "/opt/aws/amazon-cloudwatch-agent/bin/amazon-cloudwatch-agent-ctl", "")
    for path in (
        "etc/logrotate.d",
        "etc/needrestart/conf.d",
        "etc/apt/apt.conf.d",
        "etc/mysql/mariadb.conf.d",
        "etc/profile.d",
    ):
        (world.root / path).mkdir(parents=True)


ARTEFACTS = {
    "enroot": ("enroot_3.4.1-1_amd64.deb", "deb enroot 3.4.1-1 /usr/bin/enroot"),
    "enroot-caps": ("enroot+caps_3.4.1-1_amd64.deb", "deb enroot+caps 3.4.1-1 /usr/bin/caps"),
    "pyxis": ("v0.19.0.tar.gz", "the source of pyxis"),
}
"""Name to file and contents, as the simulated dpkg and make read them."""
ARTEFACT_BUCKET = "sagemaker-prod-0123abcd"


def mirror_containers(world: World) -> None:
    """Configure the node to install Enroot and Pyxis from the bucket, and remove them from its
    image.
    """
    files = []
    for name, (file, text) in ARTEFACTS.items():
        files.append(
            {
                "name": name,
                "version": "1",
                "architecture": "any" if name == "pyxis" else "x86_64",
                "file": file,
                "sha256": hashlib.sha256(text.encode()).hexdigest(),
                "size_bytes": len(text),
                "used_by": ["container_programs"],
            }
        )
    objects = {
        f"{ARTEFACT_BUCKET}/artefacts/{row['sha256']}/{row['file']}": ARTEFACTS[row["name"]][1]
        for row in files
    }

    def spec(cluster: Any) -> None:
        cluster["containers"] = {"pyxis": True, "install": "mirrored"}
        cluster["artefacts"] = {"bucket": ARTEFACT_BUCKET, "files": files}

    world.edit("cluster.json", spec)
    world.change(objects=objects)
    for path in ("usr/bin/enroot", "usr/local/lib/slurm/spank_pyxis.so"):
        (world.root / path).unlink()


def input_files(configuration: str) -> dict[str, Any]:
    """The examples of the reference page; the scripted ones with a database on the controller."""
    blocks = re.findall(r"```json\n(.*?)```", _REFERENCE.read_text(encoding="utf-8"), re.DOTALL)
    cluster, deployment, provisioning, _ = (json.loads(block) for block in blocks)
    files = {"cluster.json": cluster, "deployment.json": deployment}
    if configuration == "scripted":
        cluster["configuration"] = "scripted"
        cluster["slurm"]["accounting"] = "local"
        deployment["accounting"] = None
        deployment["munge_key_secret_arn"] = MUNGE_SECRET
        files["provisioning_parameters.json"] = provisioning
    if configuration == "parallelcluster":
        cluster.update(platform="parallelcluster", configuration="parallelcluster")
        cluster["groups"][2]["scratch"]["mount_path"] = "/scratch"
    if configuration == "pcs":
        cluster.update(platform="pcs", configuration="pcs")
        cluster["groups"] = [one for one in cluster["groups"] if one["role"] != "controller"]
        cluster["slurm"]["accounting"] = "managed"
        deployment["accounting"] = None
    return files


def _as_pcs_does(world: World, node: str, instance: dict[str, str]) -> None:
    """The state in which the agent of PCS runs a lifecycle action: slurmd has not started."""
    world.groups = (node.rpartition("-")[0],)
    _write(world, parallelcluster.INSTANCE_ID, instance["InstanceId"] + "\n")
    _write(world, f"{pcs.SLURM}/slurm-25.11/bin/scontrol", "")


PCLUSTER_TYPES = {"controller": "HeadNode", "login": "LoginNode", "workers": "ComputeFleet"}


def _as_parallelcluster_does(
    world: World, node: str, instance: dict[str, str], state: dict[str, Any]
) -> None:
    """The state in which ParallelCluster runs a custom action."""
    group, _, number = node.rpartition("-")
    world.groups = (group,)
    is_worker = group == "workers"
    lines = {
        "stack_name": "prod",
        "cfn_node_type": PCLUSTER_TYPES[group],
        "cfn_region": "us-east-1",
        "cfn_ephemeral_dir": "/scratch",
    }
    text = "".join(f"{key}={value}\n" for key, value in lines.items())
    _write(world, parallelcluster.CFNCONFIG, text)
    dna = {"log_group_name": "/aws/parallelcluster/prod-202611210900"}
    if is_worker:
        dna["scheduler_compute_resource_name"] = "workers"
        _write(world, parallelcluster.SLURM_NODENAME, f"train-st-workers-{number}\n")
        state["mounts"].append(_mount("/scratch", "/dev/mapper/vg.01-lv_ephemeral", "ext4"))
        (world.root / "scratch").mkdir(parents=True)
        (world.root / "scratch").chmod(0o1777)
    _write(world, parallelcluster.DNA, json.dumps({"cluster": dna}))
    _write(world, parallelcluster.INSTANCE_ID, instance["InstanceId"] + "\n")
    if group == "controller":
        _as_parallelcluster_configures_slurm(world, state)
    for name in ("prolog.d", "epilog.d"):
        # As mounted from the head node.
        (world.root / "opt/slurm/etc/scripts" / name).mkdir(parents=True)


def _as_parallelcluster_configures_slurm(world: World, state: dict[str, Any]) -> None:
    """The head node's files, and a node for each instance; one more may start."""
    workers = RESOURCES["InstanceGroups"][2]["Instances"]
    _write(world, "/opt/slurm/etc/slurm.conf", "ClusterName=prod\ninclude nodes.conf\n")
    _write(
        world,
        "/opt/slurm/etc/nodes.conf",
        "SlurmctldHost=ip-10-1-0-10(10.1.0.10)\n"
        f"NodeName=train-st-workers-[1-{len(workers)}] CPUs=192 State=CLOUD\n"
        "NodeName=train-dy-workers-[1-1] CPUs=192 State=CLOUD\n"
        "PartitionName=train Nodes=ALL Default=YES\n",
    )
    for number, entry in enumerate(workers, 1):
        address = entry["CustomerIpAddress"]
        state["slurm_nodes"][f"train-st-workers-{number}"] = address
        state["instances"][address] = entry["InstanceId"]
    # A powered-down node has its name as its address.
    state["slurm_nodes"]["train-dy-workers-1"] = "train-dy-workers-1"


def _instance(node: str) -> dict[str, str]:
    for group in RESOURCES["InstanceGroups"]:
        for instance in group["Instances"]:
            if instance["InstanceName"] == node:
                return dict(instance)
    raise KeyError(node)


def _mount(target: str, source: str, kind: str) -> dict[str, object]:
    return {
        "target": target,
        "source": source,
        "fstype": kind,
        "options": "rw,noatime",
        "by_image": True,
    }


def _write(world: World, path: str, text: str) -> None:
    target = world.root / path.lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


def _fresh_state(address: str) -> dict[str, Any]:
    daemon = "[Service]\nExecStart=/opt/slurm/sbin/{0} -D ${1}_OPTIONS\n"
    return {
        "address": address,
        "agent_error": "",
        "architecture": "x86_64",
        "arrays": {},
        "association_values": {},
        "aws_error": "",
        "associations": [["root", ""], ["root", "root"]],
        "automounts": {},
        "clock_ok": True,
        "broken_modules": [],
        "containers": [],
        "controller_up": False,
        "dpkg_errors": [],
        "disks": {"/dev/nvme0n1": "Amazon Elastic Block Store"},
        "efa_moves": [64],
        "events": [],
        "fabric_manager": "",
        "failing_units": {},
        "gdscheck": " Lustre             : Supported",
        "group": {"root": {"id": 0, "members": []}, "ubuntu": {"id": 1000, "members": []}},
        "hanging_commands": [],
        "image_units": {
            "docker.service": "[Service]\nExecStart=/usr/bin/dockerd -H fd://\n",
            "chrony.service": "[Service]\nExecStart=/usr/sbin/chronyd\n",
            "mariadb.service": "[Service]\nExecStart=/usr/sbin/mariadbd\n",
            "slurmdbd.service": daemon.format("slurmdbd", "SLURMDBD"),
            "munge.service": "[Service]\nExecStart=/usr/sbin/munged\n",
            "slurmctld.service": daemon.format("slurmctld", "SLURMCTLD"),
            "slurmd.service": daemon.format("slurmd", "SLURMD"),
            "sackd.service": daemon.format("sackd", "SACKD"),
        },
        "instances": {},
        "last_unit_error": "",
        "libfabric": "2.6.0amzn1.0",
        "lnet": {},
        "missing_commands": [],
        "missing_modules": [],
        "mounts": [],
        "mounts_fail_for": 0,
        "objects": {},
        "packages": {},
        "packet_filter": {},
        "partitions_read": [],
        "plugstack_read": "",
        "prolog_flags": "Alloc,Contain",
        "root_is_turned_away": False,
        "passwd": {
            "root": {"gid": 0, "home": "/root", "id": 0},
            "munge": {"gid": 102, "home": "/nonexistent", "id": 101},
            "slurm": {"gid": 64030, "home": "/nonexistent", "id": 64030},
            "ubuntu": {"gid": 1000, "home": "/home/ubuntu", "id": 1000},
        },
        "passwd_locked_for": 0,
        "read_only": [],
        "database_rights": False,
        "database_users": {},
        "remote_database_up": True,
        "qos": {"normal": {}},
        "read_by_daemons": {},
        "reconfigured": False,
        "secrets": {MUNGE_SECRET: "k" * 128},
        "slurm_config": "",
        "slurm_nodes": {},
        "slurm_topology": "",
        "slurm_started_with": [],
        "slurm_version": "slurm 25.11.0",
        "topology": {
            entry["InstanceId"]: {"NetworkNodes": ["nn-a", "nn-b", f"nn-c{index % 2}"]}
            for index, entry in enumerate(RESOURCES["InstanceGroups"][2]["Instances"])
        },
        "signatures": {},
        "slurmdbd_up": True,
        "units": {"docker.service": {"active": True, "enabled": True, "loaded": None}},
        "unresolved": [],
        "use_pam": "yes",
    }


PAM_UBUNTU = {
    "sshd": """# PAM configuration for the Secure Shell service
@include common-auth
account    required     pam_nologin.so
# account  required     pam_access.so
@include common-account
session    optional     pam_keyinit.so force revoke
@include common-session
""",
    "common-account": """account [success=1 new_authtok_reqd=done default=ignore] pam_unix.so
account requisite pam_deny.so
account required pam_permit.so
""",
    "common-auth": "auth required pam_permit.so\n",
    "common-session": "session required pam_permit.so\n",
}
"""As in Ubuntu 22.04's openssh-server and libpam-runtime, shortened."""

_SLURM_CONF = """# written by HyperPod
ClusterName=prod
SlurmctldHost=ip-10-1-0-10(10.1.0.10)
NodeName=ip-10-1-0-[31-32] CPUs=192 State=UNKNOWN
NodeName=ip-10-1-0-33 NodeAddr=10.1.0.33 CPUs=192
PartitionName=dev Nodes=ALL Default=YES
"""
