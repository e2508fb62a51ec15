"""A job file together with the cluster that it is for: what rules ask."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from clusterwright.catalog import Catalog, Known
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.models.slurm import Partition
from clusterwright.jobs import values
from clusterwright.jobs.job_file import JobFile, Step
from clusterwright.jobs.options import Option
from clusterwright.jobs.shell import Word
from clusterwright.platforms import accelerators
from clusterwright.platforms.node_hardware import hardware

Kind = Literal["lustre", "nvme", "home", "bucket", "memory", "root", "unmounted", "unknown"]

_SIZES: Final = ("nodes", "ntasks", "ntasks-per-node", "ntasks-per-gpu")
_CHOICES: Final = ("nodelist", "nodefile", "exclude", "relative", "jobid", "het-group")
"""Options of srun that choose among nodes, or those of another job."""
_GPUS = ("gpus", "gpus-per-node", "gpus-per-socket", "gpus-per-task")
LONG_MINUTES: Final = 240
"""From this time limit on, a job on several nodes should survive the loss of one: Llama 3's rate
is one interruption in 264 node-days (arXiv 2407.21783, table 5)."""

_ROOT_FOLDERS: Final = frozenset(
    {
        "bin",
        "boot",
        "etc",
        "lib",
        "lib64",
        "mnt",
        "root",
        "run",
        "sbin",
        "srv",
        "tmp",
        "usr",
        "var",
    }
)
_SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108
_IMAGE_NVME: Final = "/opt/dlami/nvme"
"""Where AWS's Deep Learning AMIs and HyperPod's image mount the instance store."""
_TRAINERS: Final = re.compile(
    r"(?:^|/)(?:torchrun|hyperpodrun|ft_launcher|deepspeed|pretrain\w*\.py|train\w*\.py"
    r"|finetun\w*\.py|fine_tun\w*\.py|run_clm\w*\.py|sft\w*\.py|\w*pretrain\w*\.py"
    r"|\w*train\w*\.py)$"
    r"|^torchtitan\.train$|^torch\.distributed\.run$"
)
_BENCHMARKS: Final = re.compile(r"(?:^|/)(?:test|bench)(?:marks?)?_[\w-]*\.py$")
COLLECTIVE_TESTS: Final = (
    r"(?:all_reduce|all_gather|reduce_scatter|alltoall|broadcast|reduce|gather|scatter|hypercube)"
    r"_perf(?:_mpi)?"
)
"""The programs of nccl-tests, without sendrecv_perf: NVIDIA/nccl-tests, src."""
_TESTS: Final = re.compile(
    rf"(?:^|/)(?:{COLLECTIVE_TESTS}|sendrecv_perf(?:_mpi)?|nccom-test|fi_pingpong|osu_\w+|xhpl\w*|hpcc|hpl\.sh|fio"
    r"|ior|mdtest|dcgmi|nvidia-smi|hostname)$"
)


_EXPANSION: Final = re.compile(r"\$\{?[\w@*]+\}?|\$\(.*\)|`.*`", re.DOTALL)
OF_ARGUMENTS: Final = re.compile(
    r"\$\{?(?:[@*]|\w*(?:ARG|OPT|FLAG|EXTRA|PARAM|OVERRIDE|CLI|CMD)\w*\}?$)", re.IGNORECASE
)
"""Variables with several arguments, by their names."""
_FLAG: Final = re.compile(
    r"--(?:bf16|fp16|finetune|swiglu|mock-data|sequence-parallel|exit-signal-handler"
    r"|(?:use|no|disable|enable|overlap|untie)-[\w-]+)"
)
"""Options of Megatron-LM without a value."""


def _nothing(name: str) -> str | None:  # noqa: ARG001
    """No file is beside the job file."""
    return None


@dataclass(frozen=True, eq=False)
class Job:
    """The input of rules.

    Attributes
    ----------
    ends:
        When the capacity ends, with a time zone; None if the user did not say.
    now:
        The time of the check.
    beside:
        The text of a file by its path from the job file's folder; None if it cannot be read.
    """

    file: JobFile
    cluster: Cluster
    catalog: Catalog
    now: dt.datetime
    ends: dt.datetime | None = None
    beside: Callable[[str], str | None] = _nothing

    # -- partition and groups -------------------------------------------------------------------

    @cached_property
    def partitions(self) -> tuple[Partition, ...]:
        """The partitions that the job names: the default without a name, all for an unknown
        one.
        """
        known = {partition.name: partition for partition in self.cluster.slurm.partitions}
        named = self.file.value("partition")
        if named is None:
            return tuple(self.cluster.slurm.partitions[:1])
        found = tuple(known[name] for name in named.split(",") if name in known)
        # An unknown name is a finding itself: what no partition can do is one, too.
        return found or tuple(known.values())

    @cached_property
    def groups(self) -> tuple[ComputeGroup, ...]:
        """The groups whose nodes the job may get."""
        names = {name for partition in self.partitions for name in partition.groups}
        found = [g for g in self.cluster.compute if g.name in names or g.part_of in names]
        wanted = self.file.value("constraint")
        chosen = [g for g in found if wanted in (g.name, g.instance_type)]
        return tuple(chosen or self._suited(found) or found)

    def _suited(self, found: Sequence[ComputeGroup]) -> list[ComputeGroup]:
        """Of an unknown partition the groups with the kind of accelerators that the job requests.

        Job files of others have partitions of other clusters: only these nodes could run them.
        """
        named, gres = self.file.value("partition"), self.file.value("gres") or ""
        known = {partition.name for partition in self.cluster.slurm.partitions}
        if named is None or known & set(named.split(",")):
            return []
        if self.file.option(*_GPUS) is not None or "gpu" in gres:
            family = "nvidia"
        elif "neuron" in gres:
            family = "neuron"
        else:
            return []
        return [
            group
            for group in found
            if accelerators.family(group.instance_type, self.catalog) == family
        ]

    @property
    def where(self) -> str:
        """The groups in words: `partition training (workers, p5.48xlarge)`."""
        names = ", ".join(partition.name for partition in self.partitions)
        groups = ", ".join(f"{group.name}, {group.instance_type}" for group in self.groups)
        return f"partition {names} ({groups})"

    def available(self, group: ComputeGroup) -> int:
        """Nodes that jobs can use: without spares; with autoscaling the maximum."""
        most = max(group.count, group.max_count or 0)
        return max(0, most - group.spare_count)

    def largest(self, numbers: Iterable[int | float | None]) -> int | float | None:
        """The largest of several numbers; None if one of them is unknown."""
        found = list(numbers)
        known = [number for number in found if number is not None]
        return max(known) if known and len(known) == len(found) else None

    @cached_property
    def accelerators_per_node(self) -> int | None:
        """Accelerators of the node type with most of them; None if the catalogue lacks a type."""
        counts: list[int | float | None] = []
        for group in self.groups:
            instance = self.catalog.instance(group.instance_type)
            known = instance is not None and isinstance(instance.accelerator_count, Known)
            counts.append(accelerators.count(group.instance_type, self.catalog) if known else None)
        found = self.largest(counts)
        if found is None or any(group.mig_profile for group in self.groups):
            return None
        return int(found)

    @cached_property
    def cpus_per_node(self) -> int | float | None:
        """CPUs, as Slurm counts them, of the node type with most; None if one is not known."""
        found = [hardware(group, self.catalog) for group in self.groups]
        return self.largest(
            one["cores"] * one["threads_per_core"]
            if one["cores"] and one["threads_per_core"]
            else None
            for one in found
        )

    @cached_property
    def families(self) -> frozenset[str]:
        """nvidia, neuron, none: what the groups have."""
        return frozenset(accelerators.family(g.instance_type, self.catalog) for g in self.groups)

    @cached_property
    def has_efa(self) -> bool:
        """Whether every group has EFA."""
        found = []
        for group in self.groups:
            instance = self.catalog.instance(group.instance_type)
            interfaces = instance.efa_interfaces if instance is not None else None
            found.append(isinstance(interfaces, Known) and interfaces.value > 0)
        return bool(found) and all(found)

    @property
    def unit(self) -> str:
        """What has the accelerators, in messages: a node, or a pod."""
        return "node"

    @property
    def has_roles(self) -> bool:
        """Whether some of its processes meet the others at an address of their own node."""
        return False

    # -- what the job is ------------------------------------------------------------------------

    @property
    def nodes(self) -> int | None:
        """The number of nodes, if it is fixed; 1 without an option."""
        if self.file.nodes is None:
            named = self.file.option("nodes", "nodelist", "nodefile", "ntasks")
            return 1 if named is None or (named.name == "ntasks" and named.value == "1") else None
        low, high = self.file.nodes
        return low if low == high else None

    @cached_property
    def trains(self) -> bool:
        """Whether the job trains: a launcher or a training script, and not a test."""
        return is_training(self.file.all_words)

    @cached_property
    def only_tests(self) -> bool:
        """Whether every step is a known test of hardware, such as nccl-tests."""
        steps = [step for step in self.file.steps if step.program]
        return bool(steps) and all(
            any(_TESTS.search(word.text) for word in step.program) for step in steps
        )

    @property
    def long(self) -> bool:
        """Whether the time limit is at least four hours, or there is none."""
        minutes = self.file.minutes
        if minutes is None:
            return self.file.option("time") is None and self.trains
        return minutes >= LONG_MINUTES

    @property
    def auto_resumed(self) -> Option | None:
        """`--auto-resume` of a step."""
        for step in self.file.steps:
            found = step.options.get("auto-resume")
            if found is not None:
                return found
        return None

    @cached_property
    def requested_accelerators(self) -> tuple[Option, str, int | None] | None:
        """The option that requests accelerators per node, with their type and number."""
        found = self.file.option("gpus-per-node")
        if found is not None:
            kind, count = values.gpus(found.value)
            return found, kind, count
        found = self.file.option("gres")
        if found is not None:
            for name, kind, count in values.resources(found.value):
                if name in ("gpu", "neuron"):
                    return found, kind, count
        return None

    @property
    def whole_nodes(self) -> bool:
        """Whether the job uses whole nodes by what it requests, or runs on several."""
        requested = self.requested_accelerators
        own = self.accelerators_per_node
        if requested is not None and own and requested[2] is not None:
            return requested[2] >= own
        return self.file.many_nodes

    @property
    def exclusive(self) -> bool:
        """Whether no other job can share its nodes."""
        option = self.file.option("exclusive")
        memory = self.file.value("mem")
        return (option is not None and option.value in ("", "topo")) or memory in ("0", "0G", "0M")

    def tasks_per_node(self, step: Step | None = None) -> int | None:
        """Tasks on each node, of a step or of the job; None if the file does not say."""
        options = dict(step.options) if step is not None else {}
        if step is not None and step.may_have(*_SIZES):
            return None
        for source in (options, {o.name: o for o in self.file.options}):
            each, tasks = source.get("ntasks-per-node"), source.get("ntasks")
            nodes = self.nodes
            if "nodes" in source and source is options:
                nodes = values.whole(source["nodes"].value)
            if each is not None and tasks is None:
                return values.whole(each.value)
            if tasks is not None:
                number = values.whole(tasks.value)
                return None if number is None or not nodes else -(-number // nodes)
            if each is not None:
                return values.whole(each.value)
        return None if self.file.option("ntasks-per-gpu", "cpus-per-gpu") else 1

    def tasks(self, step: Step) -> int | None:
        """All tasks of a step; None if the file does not say."""
        if step.may_have(*_SIZES):
            return None
        stated = step.options.get("ntasks")
        number = values.whole(stated.value) if stated is not None else None
        if number is not None:
            return number
        each = self.tasks_per_node(step)
        nodes = step.options.get("nodes")
        count = values.whole(nodes.value) if nodes is not None else None
        count = self.nodes if count is None else count
        return each * count if each is not None and count is not None else None

    def step_nodes(self, step: Step) -> int | None:
        """The nodes that a step runs on; None if the file does not determine them."""
        if step.may_have(*_SIZES, *_CHOICES):
            return None
        own, tasks = step.options.get("nodes"), step.options.get("ntasks")
        if own is not None:
            try:
                low, high = values.nodes(own.value)
            except ValueError:
                return None
            return low if low == high else None
        if any(name in step.options for name in _CHOICES):
            return None
        if tasks is None or self.nodes is None:
            return self.nodes
        number = values.whole(tasks.value)
        each = step.options.get("ntasks-per-node") or self.file.option("ntasks-per-node")
        if number == 1 or number is None:
            return number
        if number == self.file.count("ntasks"):
            return self.nodes
        size = values.whole(each.value) if each is not None else None
        fewest = -(-number // size) if size else None
        return fewest if fewest == min(self.nodes, number) else None

    # -- paths ----------------------------------------------------------------------------------

    @cached_property
    def containers(self) -> bool:
        """Whether programs run in containers, where paths are those of their mounts."""
        if self.file.option("container-image", "container", "container-name"):
            return True
        programs = ("docker", "podman", "apptainer", "singularity", "enroot")
        return any(
            step.options.get("container-image")
            or step.options.get("container-name")
            or step.says(*programs)
            for step in self.file.steps
        ) or any(
            command.name in programs
            and any(w.text in ("run", "exec", "start") for w in command.words)
            for command in self.file.commands
        )

    @cached_property
    def container_mounts(self) -> dict[str, str]:
        """Path on the node by path in the container."""
        texts = [o.value for o in self.file.options if o.name == "container-mounts"]
        for step in self.file.steps:
            option = step.options.get("container-mounts")
            texts += [option.value] if option is not None else []
        for name in ("-v", "--volume", "--bind", "-B"):
            word = argument(self.file.all_words, name)
            texts += [word.text] if word is not None else []
        found = {}
        for text in texts:
            for mount in text.split(","):
                source, _, rest = mount.partition(":")
                found[rest.split(":")[0] or source] = source
        return found

    def program_storage(self, path: str) -> Kind:
        """What a path of a program is on; in containers only mounted paths are known."""
        if not self.containers:
            return self.storage(path)
        best = max((m for m in self.container_mounts if _within(path, m)), key=len, default=None)
        if best is None:
            return "unknown"
        return self.storage(self.container_mounts[best] + path[len(best) :])

    def storage(self, path: str) -> Kind:
        """What an absolute path is on; relative paths and unresolved variables are unknown."""
        if path.startswith(("~", "$HOME", "${HOME}")):
            return self._home_kind()
        if not path.startswith("/"):
            return "unknown"
        best = max((m for m in self.mounts if _within(path, m)), key=len, default=None)
        if best is not None:
            return self.mounts[best]
        first = path.split("/")[1] if path.count("/") else ""
        if "$" in first or not first:
            return "unknown"
        if first in _ROOT_FOLDERS and first != "mnt":
            return "root"
        return "root" if first == "opt" else "unmounted"

    def _home_kind(self) -> Kind:
        return self.mounts.get("/home", "home")

    @cached_property
    def mounts(self) -> dict[str, Kind]:
        """Mount paths of the nodes."""
        storage = self.cluster.storage
        found: dict[str, Kind] = {_SHARED_MEMORY: "memory", "/home": "home", _IMAGE_NVME: "nvme"}
        if any(group.ebs for group in self.groups):
            found["/opt/sagemaker"] = "unknown"
        if storage.home is not None:
            found[storage.home.mount_path] = "home"
        for bucket in storage.buckets:
            if bucket.mount_path is not None:
                found[bucket.mount_path] = "bucket"
        for group in self.groups:
            if group.scratch is not None:
                found[group.scratch.mount_path] = "nvme"
        for lustre in storage.lustre:
            found[lustre.mount_path] = "lustre"
        return found

    @property
    def shared_paths(self) -> str:
        """The Lustre file systems, for hints."""
        paths = [lustre.mount_path for lustre in self.cluster.storage.lustre]
        return " or ".join(paths) if paths else "a shared file system"

    @property
    def scratch_path(self) -> str | None:
        """Where the nodes of the job have NVMe."""
        for group in self.groups:
            if group.scratch is not None:
                return group.scratch.mount_path
        return None


def is_training(words: Iterable[Word]) -> bool:
    """Whether a launcher or a training script is among the words of a command.

    A launcher of a test or a benchmark, by the script's name, trains nothing.
    """
    texts = [part for word in words for part in word.text.split()[:400]]
    for index, text in enumerate(texts):
        if not _TRAINERS.search(text):
            continue
        script = next((one for one in texts[index:] if one.endswith(".py")), "")
        if not _BENCHMARKS.search(script):
            return True
    return False


def hides_arguments(job: Job, words: Sequence[Word]) -> bool:
    """Whether a variable, a command or a file may give a program more arguments."""
    for index, word in enumerate(words):
        if word.text.partition("=")[0] == "--yaml-cfg":
            return True
        if not word.dynamic or not _EXPANSION.fullmatch(word.text):
            continue
        before = words[index - 1].text if index else ""
        value = before.startswith("-") and "=" not in before and not _FLAG.fullmatch(before)
        if not value or OF_ARGUMENTS.search(word.text):
            return True
    names = re.findall(r"\$\{(\w+):?-", job.file.text)
    return any(OF_ARGUMENTS.search("${" + name + "}") for name in names)


def _within(path: str, mount: str) -> bool:
    return path == mount or path.startswith(mount.rstrip("/") + "/")


def argument(step_words: Iterable[Word], *names: str) -> Word | None:
    """The value of `--name value` or `--name=value` among words; the last one counts."""
    words = list(step_words)
    found = None
    for index, word in enumerate(words):
        name, equals, value = word.text.partition("=")
        if name in names and name.startswith("-"):
            if equals:
                found = Word(value, word.line, word.column, word.length, word.dynamic)
            elif index + 1 < len(words):
                found = words[index + 1]
    return found
