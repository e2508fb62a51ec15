"""Record the versions of drivers and libraries, and refuse combinations known not to work.

With a Fabric Manager of another version than the driver eight GPUs have no NVLink, and CUDA that
is too new for the driver fails in the first job; both are found here instead. The rules and their
sources are in `clusterwright_node.compatibility`. Containers have their own libraries, which are
not checked here.
"""

from __future__ import annotations

import json
from dataclasses import asdict

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
    versions = software.versions(node)
    findings = compatibility.judge(
        versions, node.group.instance_type, node.machine.exists(software.CUDA_COMPAT)
    )
    if node.machine.read_text(software.REPORT) != _report(versions, findings):
        return missing(f"{software.REPORT} is outdated")
    refused = [found for found in findings if found.verdict == compatibility.REFUSED]
    if refused:
        raise StepError(
            "; ".join(f"not satisfied: {found.rule} ({found.text})" for found in refused),
            "; ".join(f"{found.hint} [{found.source}]" for found in refused),
        )
    return SATISFIED


def apply(node: Node) -> None:
    versions = software.versions(node)
    findings = compatibility.judge(
        versions, node.group.instance_type, node.machine.exists(software.CUDA_COMPAT)
    )
    # Write it even if a combination is refused: it is needed to find the cause.
    node.machine.write_text(software.REPORT, _report(versions, findings))


def _report(versions: dict[str, str], findings: list[Finding]) -> str:
    report = {
        "schema_version": 1,
        "versions": {key: versions.get(key, "unknown") for key in software.NAMES},
        "rules": [asdict(found) for found in findings],
    }
    return json.dumps(report, indent=2) + "\n"
