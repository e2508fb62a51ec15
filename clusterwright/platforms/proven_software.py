"""What a job really ran with: versions and transport from the log of NCCL.

The job must run with NCCL_DEBUG=INFO; otherwise NCCL prints its version alone. Formats: NCCL
`src/init.cc` and `src/plugin/net.cc`; aws-ofi-nccl `src/nccl_ofi_net.cpp`, and logs in
aws/aws-ofi-nccl#715, #889 and #1055.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from clusterwright.catalog import Catalog, Known
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms import software
from clusterwright.platforms.software_pairs import (
    REFUSED,
    UNKNOWN,
    WORKS,
    Finding,
    Surroundings,
    evaluate,
    matches,
)

EFA, SOCKET, OTHER = "efa", "socket", "other"
TRANSPORT_RULE = "NCCL communicates over EFA"

# The prefixes of `srun --label`, `mpirun --tag-output` and NCCL itself may come before each.
_VERSIONS = {
    "nccl": re.compile(r"NCCL version (\d+\.\d+\.\d+)"),
    "aws_ofi_nccl": re.compile(r"NET/OFI (?:Initializing|Using) aws-ofi-nccl (\d+\.\d+\.\d+)"),
    "libfabric": re.compile(r"NET/OFI Using Libfabric version (\d+(?:\.\d+)*\S*)"),
}
_CUDA = re.compile(r"NET/OFI Using CUDA driver version (\d+)(?: with runtime (\d+))?")
_PROVIDER = re.compile(
    r"NET/OFI Selected [Pp]rovider is ([\w;]+)(?:, fabric is ([\w-]+))?(?: \(found (\d+) nics\))?"
)
_NETWORK = re.compile(r"NCCL INFO Using network (.+?)\s*$")
_NO_PLUGIN = re.compile(
    r"NCCL (?:INFO|WARN) NET/Plugin\s*:\s*(?:Could not find|No plugin found|Failed to load)"
)


@dataclass(frozen=True)
class Proven:
    """What the ranks of a job reported; a value on which ranks differ is in `different`."""

    versions: Mapping[str, str]
    """By the names of `software.json`: nccl, aws_ofi_nccl, libfabric, and cuda, the runtime."""

    transport: str
    """EFA, SOCKET (TCP), OTHER, or UNKNOWN if the log does not say."""

    provider: str | None = None
    """libfabric's provider, such as `efa`."""

    fabric: str | None = None
    """Such as `efa-direct`; older plug-ins do not print it."""

    interface_count: int | None = None
    """EFA interfaces that a rank found."""

    plugin_missing: bool = False
    """NCCL reported that it loaded no network plug-in."""

    different: tuple[str, ...] = ()
    """Values on which ranks differ, such as `nccl: 2.27.5, 2.29.7`."""

    lines: tuple[str, ...] = ()
    """The first line of each value."""

    @property
    def is_empty(self) -> bool:
        """Whether the log has nothing about software."""
        return not self.lines


def read(log: Iterable[str]) -> Proven:
    """What the lines of a job's log show. Lines of other programs are ignored."""
    seen: dict[str, Counter[str]] = {}
    first: dict[tuple[str, str], str] = {}
    plugin_missing = False
    line = ""

    def note(name: str, value: str | None) -> None:
        if value is not None:
            seen.setdefault(name, Counter())[value] += 1
            first.setdefault((name, value), line.strip())

    for line in log:
        if "NCCL" not in line and "NET/OFI" not in line:
            continue
        for name, pattern in _VERSIONS.items():
            match = pattern.search(line)
            note(name, match.group(1) if match else None)
        match = _CUDA.search(line)
        if match and match.group(2):
            note("cuda", _cuda_version(match.group(2)))
        match = _PROVIDER.search(line)
        if match:
            for name, value in zip(
                ("provider", "fabric", "interfaces"), match.groups(), strict=True
            ):
                note(name, value)
        match = _NETWORK.search(line)
        note("network", match.group(1) if match else None)
        if _NO_PLUGIN.search(line) is not None:
            plugin_missing = True
            first.setdefault(("plugin", ""), line.strip())
    most = {name: counter.most_common(1)[0][0] for name, counter in seen.items()}
    return Proven(
        versions={name: most[name] for name in (*_VERSIONS, "cuda") if name in most},
        transport=_transport(seen),
        provider=most.get("provider"),
        fabric=most.get("fabric"),
        interface_count=int(most["interfaces"]) if "interfaces" in most else None,
        plugin_missing=plugin_missing,
        different=tuple(
            f"{name}: {', '.join(sorted(counter))}"
            for name, counter in sorted(seen.items())
            if len(counter) > 1
        ),
        lines=tuple(dict.fromkeys(first.values())),
    )


def findings(
    proven: Proven, cluster: Cluster, group: ComputeGroup, catalog: Catalog
) -> list[Finding]:
    """What the job's log proves or refutes if it ran on nodes of the group.

    Each is REFUSED, END_OF_LIFE, WORKS or UNKNOWN. The libraries of the log, which a container
    brings, replace those that the spec states; the drivers are those of the spec.
    """
    source = "the job's log"
    stated = software.stated(cluster, group, catalog)
    found = []
    interfaces = _efa_interfaces(group, catalog)
    if interfaces:
        found.append(_transport_finding(proven, interfaces, source))
    if proven.different:
        found.append(
            Finding(
                "all ranks run the same software",
                REFUSED,
                "; ".join(proven.different),
                source,
                "start all ranks from one image",
            )
        )
    for name, version in proven.versions.items():
        if name in stated and matches(stated[name], version) is not True:
            found.append(
                Finding(
                    "the job runs the declared versions",
                    REFUSED,
                    f"{software.title(name)} is {version}, declared is {stated[name]}",
                    source,
                    "correct `software` in the spec, or the job's image",
                    (name,),
                )
            )
    versions = {**stated, **proven.versions, "instance_type": group.instance_type}
    ran = set(proven.versions)
    pairs = evaluate(software.model(), versions, Surroundings(cluster.platform))
    return found + [each for each in pairs if ran.intersection(each.components)]


def _efa_interfaces(group: ComputeGroup, catalog: Catalog) -> int:
    """EFA interfaces of the group's type; 0 without EFA, or if their number is not known."""
    instance = catalog.instance(group.instance_type)
    if instance is None or not isinstance(instance.efa_interfaces, Known):
        return 0
    return int(instance.efa_interfaces.value)


def _transport_finding(proven: Proven, interface_count: int, source: str) -> Finding:
    rule = TRANSPORT_RULE
    interfaces = proven.interface_count
    text = f"transport {proven.transport}"
    if proven.provider is not None:
        text += f", provider {proven.provider}"
    if interfaces is not None:
        text += f", {interfaces} of {interface_count} interfaces"
    if proven.transport == UNKNOWN:
        hint = "run the job with NCCL_DEBUG=INFO"
        return Finding(rule, UNKNOWN, text, source, hint)
    if proven.transport != EFA:
        hint = (
            "the network plug-in was not loaded: install aws-ofi-nccl in the job's image"
            if proven.plugin_missing
            else "remove NCCL_NET and FI_PROVIDER from the job's environment, and install "
            "aws-ofi-nccl in its image"
        )
        return Finding(rule, REFUSED, text, source, hint)
    if interfaces is not None and interfaces < interface_count:
        hint = "give the job all EFA devices of the node"
        return Finding(rule, REFUSED, text, source, hint)
    return Finding(rule, WORKS, text, source)


def _transport(seen: Mapping[str, Counter[str]]) -> str:
    """The worst of the ranks: one rank over TCP slows all."""
    networks = set(seen.get("network", ()))
    if any(name.startswith("Socket") for name in networks):
        return SOCKET
    providers = set(seen.get("provider", ()))
    if providers:
        return EFA if providers == {"efa"} else OTHER
    return OTHER if networks else UNKNOWN


def _cuda_version(number: str) -> str:
    """`12050` as 12.5."""
    return f"{int(number) // 1000}.{int(number) % 1000 // 10}"
