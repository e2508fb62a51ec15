"""Write the spec of a plan, as `clusterwright plan --write` does, into configs/.

The file is text for reviewers: every value that the plan chose has its reason as a comment. Like
other specs it extends configs/base.yaml; the plan leaves other values at their defaults.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from clusterwright.catalog import Catalog, Known
from clusterwright.platforms.capabilities import who_can
from clusterwright.platforms.network import is_local
from clusterwright.platforms.parallelcluster.limits import ULTRASERVER_SIZES
from clusterwright.platforms.registry import DEFAULT, KUBERNETES, PlatformName, traits_of
from clusterwright.platforms.traits import RESERVED_KINDS
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.purchases import block_sizes
from clusterwright.sizing.storage import StoragePlan

CONTROLLERS: Final = ((16, "m5.4xlarge"), (128, "m5.8xlarge"), (512, "m5.12xlarge"))
"""Type of the controller by number of compute nodes, as in configs/examples."""
LARGEST_CONTROLLER: Final = "m5.24xlarge"
LOGIN: Final = "m5.4xlarge"
GRAVITON: Final = {
    "m5.4xlarge": "m7g.4xlarge",
    "m5.8xlarge": "m7g.8xlarge",
    "m5.12xlarge": "m7g.12xlarge",
    LARGEST_CONTROLLER: "m7g.16xlarge",  # the largest of m7g
}
"""Arm types of the same size: all nodes of a ParallelCluster have one architecture."""
SYSTEM_NODES: Final = "{name: system, role: system, instance_type: m5.4xlarge, count: 2}"
"""Two nodes for cluster services, so that one may fail; one size above configs/dev-eks.yaml."""
SCRATCH_PATH: Final = "/scratch"
UNBOUGHT: Final = "cr-00000000000000000"
"""Placeholder for the id of capacity that is not bought yet; AWS assigns no id of zeros."""


@dataclass(frozen=True)
class SpecChoices:
    """Contents of the spec besides storage.

    Attributes
    ----------
    nodes, spares:
        Training nodes and spare nodes; the group has both.
    capacity_kind, arn:
        A kind that the platform supports; the ARN of a training plan, or `None` if it is not
        bought yet.
    hours:
        Duration of the cluster: the P90 of the plan, rounded up to days.
    plan_file:
        Path of the plan, for a comment.
    budget_usd:
        Of the run, if a price is known.
    reasons:
        One line each, for the comment at the top.
    secondary_cidrs:
        Further ranges, if the nodes fill the first.
    platform:
        Platform of the cluster.
    image:
        Image of the training job, by digest; without it the job is written as a comment.
    job_command:
        Command of the run on each node; empty if no job is written.
    """

    name: str
    account: str
    region: str
    zone: str
    instance_type: str
    nodes: int
    spares: int
    capacity_kind: str
    hours: float
    plan_file: str
    command: str
    arn: str | None = None
    budget_usd: float | None = None
    reasons: tuple[str, ...] = ()
    schema: str | None = None
    secondary_cidrs: tuple[str, ...] = ()
    platform: PlatformName = DEFAULT
    image: str | None = None
    job_command: tuple[str, ...] = ()


def zone_of(instance_type: str, region: str, catalog: Catalog) -> str:
    """An availability zone of the region that offers the type, or a local zone if none does.

    Of several zones the last is chosen, such as `use1-az6` of the examples. The capacity of the
    account decides; `clusterwright check` checks it.

    Raises
    ------
    GoalError
        The region does not offer the type, or no source states its zones.
    """
    offered = catalog.offering(instance_type, region)
    if not isinstance(offered, Known):
        raise GoalError(
            f"no source states which zones of {region} offer {instance_type}: {offered.reason}",
            "state --zone",
            field="zone",
        )
    if not offered.value:
        raise GoalError(f"{instance_type} is not offered in {region}", field="region")
    ordinary = sorted(zone for zone in offered.value if not is_local(zone))
    return ordinary[-1] if ordinary else sorted(offered.value)[0]


def controller_for(nodes: int) -> str:
    """The instance type of the controller for a number of compute nodes."""
    return next((name for most, name in CONTROLLERS if nodes <= most), LARGEST_CONTROLLER)


def write(choices: SpecChoices, storage: StoragePlan, catalog: Catalog) -> str:
    """The text of the spec.

    Raises
    ------
    GoalError
        The platform does not support the kind of capacity.
    """
    rules = traits_of(choices.platform)
    if choices.capacity_kind not in rules.capacity_kinds:
        kind = choices.capacity_kind
        raise GoalError(
            f"platform {choices.platform} does not support {kind}: {rules.refused_capacity[kind]}",
            f"{' or '.join(sorted(rules.capacity_kinds))}; for {kind}: "
            f"{who_can(f'capacity.{kind}')}",
            field="capacity",
        )
    return "\n".join(_lines(choices, storage, catalog)) + "\n"


def _lines(choices: SpecChoices, storage: StoragePlan, catalog: Catalog) -> Iterator[str]:
    if choices.schema:
        yield f"# yaml-language-server: $schema={choices.schema}"
        yield "#"
    yield f"# Written by `{choices.command}`;"
    yield f"# the plan is {choices.plan_file}; `clusterwright diff` shows differences from it."
    if choices.reasons:
        yield "#"
        yield from (f"# {reason}" for reason in choices.reasons)
    yield ""
    yield f"environment: {choices.name}"
    yield f'account: "{choices.account}"'
    yield f"region: {choices.region}"
    if choices.platform != DEFAULT:
        yield f"platform: {choices.platform}"
    yield "protection: retain"
    yield ""
    yield "network:"
    yield f"  availability_zone_id: {choices.zone}"
    if choices.secondary_cidrs:
        what = "control plane" if choices.platform in KUBERNETES else "database"
        yield f"  # The nodes use the first range; this one is for the {what} and NAT."
        yield f"  secondary_cidrs: [{', '.join(choices.secondary_cidrs)}]"
    yield ""
    yield from _compute(choices, catalog)
    yield ""
    yield from _storage(choices, storage)
    yield ""
    yield from _scheduler(choices, len(list(_groups(choices, catalog))))
    yield ""
    yield from _acceptance(choices)
    yield from _run(choices, storage)


def _scheduler(choices: SpecChoices, groups: int) -> Iterator[str]:
    """Settings of Slurm or Kubernetes; base.yaml has those of Slurm on HyperPod."""
    traits = traits_of(choices.platform)
    if traits.uses_slurm:
        yield "slurm:"
        if traits.node_setup is not None:
            yield f"  configuration: null               # {traits.title} configures Slurm"
        yield f"  accounting: {{kind: {'managed' if traits.managed_accounting else 'rds'}}}"
    else:
        yield "slurm: null                         # unset base.yaml's section for Slurm"
        yield ""
        yield "tenants:"
        yield "  - {name: training}"
        if choices.job_command:
            yield ""
            yield from _job(choices, groups)


def _acceptance(choices: SpecChoices) -> Iterator[str]:
    """The hold; on Kubernetes nodes are tested with an image of the user's."""
    if not traits_of(choices.platform).uses_slurm:
        return
    yield "# No job starts on a node before it is accepted, by a test of at most a minute."
    yield "acceptance: {level: quick, hold: true}"
    yield ""


def _job(choices: SpecChoices, groups: int) -> Iterator[str]:
    """The run as a job; `clusterwright render kubernetes --part jobs` prints its manifest."""
    managed = traits_of(choices.platform).on_hyperpod
    if groups > 1:
        yield f"# The nodes are in {groups} groups, and a job uses one group: start the run"
        yield "# with a manifest that you write and the settings beside this file."
        return
    mark = "" if choices.image is not None else "#"
    if managed:
        yield "hyperpod:"
        yield "  addons:"
        yield "    - {name: training-operator}"
        yield ""
    if mark:
        yield "# The run as a job: set its image by digest and uncomment the lines. Then"
    else:
        yield "# The run as a job:"
    yield "# `clusterwright render kubernetes --part jobs` prints the manifest."
    for word in choices.job_command:
        flag, _, file = word.partition("=")
        if flag == "--job.config_file":
            yield f"# It reads {file}: copy it there first."
    image = choices.image or "registry.example/training@sha256:<the digest of your image>"
    yield f"{mark}kubernetes:"
    yield f"{mark}  workloads:"
    yield f"{mark}    jobs:"
    yield f"{mark}      - name: {choices.name}"
    yield f"{mark}        kind: {'hyperpod-pytorch' if managed else 'pytorch'}"
    yield f"{mark}        tenant: training"
    yield f"{mark}        group: workers"
    yield f"{mark}        node_count: {choices.nodes}"
    yield f"{mark}        image: {image}"
    yield f"{mark}        command:"
    for word in choices.job_command:
        yield f"{mark}          - {json.dumps(word)}"


def _compute(choices: SpecChoices, catalog: Catalog) -> Iterator[str]:
    groups = list(_groups(choices, catalog))
    total = sum(count for count, _ in groups)
    yield "compute:"
    if choices.platform in KUBERNETES:
        yield "  # For DNS, controllers of drivers, and other services of the cluster."
        yield f"  - {SYSTEM_NODES}"
    else:
        login = _other_node_type(choices, catalog, LOGIN)
        if not traits_of(choices.platform).service_runs_controller:
            controller = _other_node_type(choices, catalog, controller_for(total))
            yield (
                f"  - {{name: controller, role: controller, instance_type: {controller}, "
                "count: 1}"
            )
        yield f"  - {{name: login, role: login, instance_type: {login}, count: 1}}"
    spares = total - choices.nodes
    train = "1 node trains" if choices.nodes == 1 else f"{choices.nodes} nodes train"
    wait = "1 spare" if spares == 1 else f"{spares} spares"
    if traits_of(choices.platform).keeps_spares(choices.capacity_kind, choices.instance_type):
        yield f"  # {train}; {wait} to replace failed nodes."
    else:
        yield f"  # {train}; failed nodes are replaced by new instances."
    for number, (count, kept) in enumerate(groups, 1):
        yield from _group(choices, catalog, number if len(groups) > 1 else None, count, kept)


def _groups(choices: SpecChoices, catalog: Catalog) -> Iterator[tuple[int, int]]:
    """(instances, spares) of each group: one group, or one for each purchase.

    Raises
    ------
    GoalError
        The platform runs whole UltraServers only, and the number of nodes is not a multiple.
    """
    kept = traits_of(choices.platform).keeps_spares(choices.capacity_kind, choices.instance_type)
    wanted = choices.nodes + (choices.spares if kept else 0)
    server = _ultraserver_instances(choices.instance_type, catalog)
    if choices.capacity_kind == "capacity-block" and server and not kept:
        yield from ((size, 0) for size in _whole_servers(choices.nodes))
        return
    if choices.capacity_kind not in ("training-plan", "capacity-block"):
        whole = math.ceil(wanted / server) * server if server and kept else wanted
        yield whole, whole - choices.nodes
        return
    # UltraServers are sold as a whole; surplus instances are spares.
    sizes = [server] * math.ceil(wanted / server) if server else block_sizes(wanted)
    left = sum(sizes) - choices.nodes
    for size in sizes:
        # A group keeps at least one instance for jobs.
        spare = min(size - 1, left)
        left -= spare
        yield size, spare


def _whole_servers(nodes: int) -> list[int]:
    """Sizes of the UltraServers of ParallelCluster that add up to the number of nodes."""
    small, large = ULTRASERVER_SIZES
    if nodes % small:
        more = math.ceil(nodes / small) * small
        raise GoalError(
            f"ParallelCluster runs whole UltraServers of {small} or {large} nodes, not "
            f"{nodes} nodes",
            f"--nodes {more}",
            field="nodes",
        )
    return [large] * (nodes // large) + [small] * (nodes % large // small)


def _other_node_type(choices: SpecChoices, catalog: Catalog, wanted: str) -> str:
    """The type of a controller or login node: `wanted`, or its Arm counterpart if required."""
    workers = catalog.instance(choices.instance_type)
    architecture = workers.architecture if workers is not None else None
    one_architecture = "parallelcluster" in traits_of(choices.platform).sections
    if not one_architecture or not isinstance(architecture, Known):
        return wanted
    return GRAVITON[wanted] if architecture.value == "arm64" else wanted


def _ultraserver_instances(instance_type: str, catalog: Catalog) -> int | None:
    """Instances in the largest UltraServer of the type; `None` if it is in none."""
    sizes = [
        server.instance_count.value
        for server in catalog.ultraservers.values()
        if isinstance(server.instance_type, Known)
        and isinstance(server.instance_count, Known)
        and server.instance_type.value == instance_type
    ]
    return max(sizes, default=None)


def _group(
    choices: SpecChoices, catalog: Catalog, number: int | None, count: int, spares: int
) -> Iterator[str]:
    suffix = "" if number is None else f"-{number}"
    yield f"  - name: workers{suffix}"
    yield "    role: compute"
    yield f"    instance_type: {choices.instance_type}"
    yield f"    count: {count}"
    if spares:
        yield f"    spare_count: {spares}"
    if choices.capacity_kind == "training-plan":
        arn = choices.arn if number in {None, 1} else None
        if arn is None:
            yield "    # Not bought yet: `clusterwright check` fails until the ARN is here."
            arn = (
                f"arn:aws:sagemaker:{choices.region}:{choices.account}:training-plan/"
                f"to-be-bought{suffix}"
            )
        yield f'    capacity: {{kind: training-plan, arn: "{arn}"}}'
    elif choices.capacity_kind in RESERVED_KINDS:
        yield "    # Not bought yet: `clusterwright check` fails until the id is here."
        yield f"    capacity: {{kind: {choices.capacity_kind}, id: {UNBOUGHT}}}"
    else:
        yield f"    capacity: {{kind: {choices.capacity_kind}}}"
    instance = catalog.instance(choices.instance_type)
    nvme = instance.local_nvme if instance else None
    if isinstance(nvme, Known) and nvme.value.count:
        if traits_of(choices.platform).managed_node_groups:
            yield "    scratch: {}                     # emptyDir volumes use these drives"
        else:
            yield f"    scratch: {{mount_path: {SCRATCH_PATH}}}"


def _storage(choices: SpecChoices, storage: StoragePlan) -> Iterator[str]:
    chosen = storage.chosen
    yield "storage:"
    yield "  lustre:"
    yield "    - mount_path: /fsx"
    yield (
        f"      # {storage.capacity_needed_gib:,.0f} GiB are required, and "
        f"{storage.needed_gbytes_per_s:.3g} GB/s; this provides {chosen.gbytes_per_s:.3g} GB/s."
    )
    yield f"      capacity_gib: {chosen.capacity_gib}"
    yield f"      throughput_mbps_per_tib: {chosen.throughput_mbps_per_tib}"
    if chosen.efa:
        yield "      efa: true"
    if chosen.metadata_iops is not None:
        yield f"      metadata: {{mode: provisioned, iops: {chosen.metadata_iops}}}"
    if choices.platform not in KUBERNETES:
        yield "  home: {kind: openzfs, capacity_gib: 512}"
    yield "  checkpoint_path: /fsx/checkpoints"


def _run(choices: SpecChoices, storage: StoragePlan) -> Iterator[str]:
    yield f"# {choices.hours / 24:g} days: the P90 of the run."
    yield "run:"
    yield f"  hours: {choices.hours:g}"
    gib = storage.checkpoint_bytes / 2**30
    yield f"  checkpoint_gib: {math.ceil(gib)}"
    minutes = storage.interval_seconds / 60
    yield f"  checkpoint_interval_minutes: {min(10_080.0, max(1.0, round(minutes, 1))):g}"
    if choices.budget_usd is not None:
        yield ""
        yield "# P90 of compute only. The gate is unknown while a price is: state rates first."
        yield f"#budget: {{run_usd: {math.ceil(choices.budget_usd)}}}"
