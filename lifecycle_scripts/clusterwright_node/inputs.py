"""The files that configure a node. Their contract is docs/reference/node-files.md.

`cluster.json` and `deployment.json` are read strictly, as `contract` describes them. Of
HyperPod's `provisioning_parameters.json` and `resource_config.json` only the keys in use are
read. On ParallelCluster and PCS there are none: `parallelcluster` reads ParallelCluster's files,
and `pcs` those of a node of PCS.
"""

from __future__ import annotations

import difflib
import hashlib
import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clusterwright_node import fields, parallelcluster, pcs
from clusterwright_node.contract import PARALLELCLUSTER, PCS, ClusterFile, DeploymentFile
from clusterwright_node.contradictions import contradictions
from clusterwright_node.errors import InputsError
from clusterwright_node.machine import Machine
from clusterwright_node.parsing import JsonObject, parse_json, shown

RESOURCE_CONFIG = "/opt/ml/config/resource_config.json"
REQUIRED_STEPS = ("identify", "verify_inputs", "not_built")
"""Steps that `node_steps` cannot disable."""

_CLUSTER_ARN = re.compile(r"arn:[a-z-]+:sagemaker:[a-z0-9-]+:([0-9]{12}):cluster/([a-z0-9]+)")


@dataclass(frozen=True)
class Provisioning:
    """The keys of provisioning_parameters.json that must agree with cluster.json."""

    controller_group: str
    login_group: str | None
    partition_by_group: dict[str, str]


@dataclass(frozen=True)
class Instance:
    """One instance as HyperPod lists it. `address` is CustomerIpAddress."""

    name: str
    instance_id: str
    address: str
    group: str


@dataclass(frozen=True)
class Resources:
    """resource_config.json."""

    cluster: str
    instance_types: dict[str, str]
    instances: tuple[Instance, ...]
    cluster_id: str | None = None
    """The id in the cluster's ARN, which is also in the name of its log group."""
    account: str | None = None
    """The AWS account in the cluster's ARN."""

    def of_group(self, group: str) -> list[Instance]:
        return [instance for instance in self.instances if instance.group == group]


@dataclass(frozen=True)
class Inputs:
    """The contents of all files, and the digest of cluster.json and the other uploaded files."""

    cluster: ClusterFile
    deployment: DeploymentFile
    provisioning: Provisioning | None
    resources: Resources
    digest: str = field(default="")
    folder: str = ""
    """The folder of the uploaded files, and the path of HyperPod's list of instances."""
    resource_config: str = RESOURCE_CONFIG
    here: parallelcluster.Here | None = None
    """This node, from ParallelCluster's files; None elsewhere."""
    on_pcs: pcs.Here | None = None
    """This node on PCS; None elsewhere."""


def load_inputs(
    machine: Machine,
    folder: str,
    resource_config: str,
    known_steps: Sequence[str],
    configuration: str = "managed",
    groups: Sequence[str] = (),
) -> Inputs:
    """Read all files. `folder` is a path of this machine, `resource_config` one below the
    machine's root; `groups` are the entry script's arguments, see `parallelcluster.read`.

    Raises InputsError with every problem of every file.
    """
    problems: list[str] = []
    files = _Files(machine, folder, problems)
    cluster_value = files.ours("cluster.json")
    deployment_value = files.ours("deployment.json")
    provisioning_value = files.ours("provisioning_parameters.json", required=False)
    resources_value = here = on_pcs = None
    if configuration == PARALLELCLUSTER:
        here = parallelcluster.read(machine, groups, problems)
    elif configuration == PCS:
        on_pcs = pcs.read(machine, groups, problems)
    else:
        resources_value = files.hyperpods("resource_config.json", resource_config)

    cluster = deployment = resources = provisioning = None
    if cluster_value is not None:
        cluster = parse_cluster(cluster_value, problems, known_steps)
    if deployment_value is not None:
        deployment = parse_deployment(deployment_value, problems)
    if provisioning_value is not None:
        provisioning = parse_provisioning(provisioning_value, problems)
    if resources_value is not None:
        resources = parse_resources(resources_value, problems)
    elif cluster is not None and (here is not None or on_pcs is not None):
        group = here.group if here is not None else on_pcs.group if on_pcs is not None else ""
        if cluster.group(group) is None and not problems:
            names = ", ".join(known.name for known in cluster.groups)
            problems.append(
                f"the entry script's arguments name group {group}, cluster.json has only {names}"
            )
        resources = Resources(cluster.cluster, {}, ())
    if problems or cluster is None or deployment is None or resources is None:
        raise InputsError(problems)
    return Inputs(
        cluster,
        deployment,
        provisioning,
        resources,
        files.digest,
        folder,
        resource_config,
        here,
        on_pcs,
    )


class _Files:
    """Reads the files and collects what cannot be read."""

    def __init__(self, machine: Machine, folder: str, problems: list[str]) -> None:
        self._machine = machine
        self._folder = folder
        self._problems = problems
        self._sha256 = hashlib.sha256()

    @property
    def digest(self) -> str:
        """The digest of the names and texts of the uploaded files read so far."""
        return self._sha256.hexdigest()

    def ours(self, name: str, required: bool = True) -> object | None:
        path = posixpath.join(self._folder, name)
        text = self._text(name, path, lambda: Path(path).read_text(encoding="utf-8"), required)
        if text is None:
            return None
        self._sha256.update(f"{name} {len(text)}\n{text}".encode())
        return self._parsed(name, text)

    def hyperpods(self, name: str, path: str) -> object | None:
        text = self._text(name, path, lambda: self._machine.read_text(path), required=True)
        return None if text is None else self._parsed(name, text)

    def _parsed(self, name: str, text: str) -> object | None:
        before = len(self._problems)
        value = parse_json(text, name, self._problems)
        if value is None and len(self._problems) == before:
            self._problems.append(f"{name}: expected an object, found null")
        return value

    def _text(
        self, name: str, path: str, read: Callable[[], str | None], required: bool
    ) -> str | None:
        try:
            text = read()
        except FileNotFoundError:
            text = None
        except (OSError, UnicodeDecodeError) as error:
            self._problems.append(f"{name}: cannot be read: {error}")
            return None
        if text is None and required:
            self._problems.append(f"{name}: not found at {path}")
        return text


def parse_cluster(value: object, problems: list[str], known_steps: Sequence[str]) -> ClusterFile:
    """Return the value of cluster.json as an object; add every problem to `problems`."""
    before = len(problems)
    top = JsonObject(value, "cluster.json", problems, separator=": ")
    result = fields.read(ClusterFile, top)
    for name, settings in result.node_steps.items():
        if name not in known_steps:
            near = difflib.get_close_matches(name, known_steps, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            top.note(f"node_steps.{name}", "unknown key" + hint)
        elif not settings.enabled and name in REQUIRED_STEPS:
            top.note(f"node_steps.{name}", "cannot be disabled")
    if len(problems) == before:
        problems.extend("cluster.json: " + text for text in contradictions(result))
    return result


def parse_deployment(value: object, problems: list[str]) -> DeploymentFile:
    """Return the value of deployment.json as an object; add every problem to `problems`."""
    top = JsonObject(value, "deployment.json", problems, separator=": ")
    return fields.read(DeploymentFile, top)


def parse_provisioning(value: object, problems: list[str]) -> Provisioning:
    """The keys in use of HyperPod's provisioning_parameters.json."""
    top = JsonObject(value, "provisioning_parameters.json", problems, separator=": ")
    manager = top.text("workload_manager")
    if manager and manager != "slurm":
        top.note("workload_manager", f"{shown(manager)} is not slurm")
    controller = top.text("controller_group")
    login = top.text("login_group") if "login_group" in top else None
    partitions = {}
    for entry in top.objects("worker_groups"):
        partitions[entry.text("instance_group_name")] = entry.text("partition_name")
    return Provisioning(controller, login, partitions)


def parse_resources(value: object, problems: list[str]) -> Resources:
    """The keys in use of HyperPod's resource_config.json."""
    top = JsonObject(value, "resource_config.json", problems, separator=": ")
    config = top.object("ClusterConfig")
    cluster = config.text("ClusterName")
    arn = config.text("ClusterArn") if "ClusterArn" in config else ""
    instance_types = {}
    instances: list[Instance] = []
    for entry in top.objects("InstanceGroups"):
        group = entry.text("Name")
        instance_types[group] = entry.text("InstanceType")
        for item in entry.objects("Instances"):
            name = item.text("InstanceName") if "InstanceName" in item else ""
            instance_id = item.text("InstanceId")
            instances.append(
                Instance(name or instance_id, instance_id, item.text("CustomerIpAddress"), group)
            )
    match = _CLUSTER_ARN.fullmatch(arn)
    account, cluster_id = match.groups() if match else (None, None)
    return Resources(cluster, instance_types, tuple(instances), cluster_id, account)
