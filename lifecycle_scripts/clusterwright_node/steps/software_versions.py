"""Record the versions of drivers and libraries, and refuse combinations known not to work.

With a Fabric Manager of another version than the driver eight GPUs have no NVLink, and CUDA that
is too new for the driver fails in the first job; both are found here instead. A version that the
spec declares (`software`) is compared with the one on the node. The rules and their sources are in
`software.json`. Containers have their own libraries, which are not checked here.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import NamedTuple

from clusterwright_node import compatibility, software
from clusterwright_node.compatibility import Finding
from clusterwright_node.errors import StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("not_built",)
DEADLINE_SECONDS = 60
RETRIES = 1


def applies(node: Node) -> Verdict:
    if node.group.accelerator == "none" and not node.group.efa:
        return skip(f"group {node.group.name} has neither accelerators nor EFA")
    return APPLIES


def check(node: Node) -> Verdict:
    found = _read(node)
    if node.machine.read_text(software.REPORT) != found.report:
        return missing(f"{software.REPORT} is outdated")
    refused = [each for each in found.findings if each.verdict == compatibility.REFUSED]
    if refused or found.different:
        messages = [f"not satisfied: {each.rule} ({each.text})" for each in refused]
        hints = [f"{each.hint} [{each.source}]" for each in refused]
        if found.different:
            hints.append("correct `software` in the spec, or use an image with these versions")
        raise StepError("; ".join(messages + found.different), "; ".join(hints))
    return SATISFIED


def apply(node: Node) -> None:
    # Write it even if a combination is refused: it is needed to find the cause.
    node.machine.write_text(software.REPORT, _read(node).report)


class _Found(NamedTuple):
    findings: list[Finding]
    different: list[str]
    report: str


def _read(node: Node) -> _Found:
    versions = software.versions(node)
    findings = compatibility.judge(versions, node.group.instance_type, _features(node))
    declared = {each.component: each.version for each in node.group.software}
    different, absent = compatibility.compare_declared(declared, versions)
    report = {
        "schema_version": 1,
        "versions": {key: versions.get(key, "unknown") for key in software.NAMES},
        "rules": [asdict(each) for each in findings],
        "declared": {"versions": declared, "different": different, "not_found": absent},
    }
    return _Found(findings, different, json.dumps(report, indent=2) + "\n")


def _features(node: Node) -> list[str]:
    features = []
    if node.machine.exists(software.CUDA_COMPAT):
        features.append(compatibility.CUDA_COMPAT)
    if any(entry.efa for entry in node.inputs.cluster.lustre):
        features.append(compatibility.EFA_LUSTRE)
    return features
