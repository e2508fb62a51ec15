"""Queries of templates as plain data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.synthesis import Assembly


def only(assembly: Assembly, kind: str) -> dict[str, Any]:
    """The properties of the only resource of a type."""
    found = list(assembly.resources(kind).values())
    assert len(found) == 1, f"{len(found)} resources of {kind}"
    properties: dict[str, Any] = found[0].get("Properties", {})
    return properties


def properties(assembly: Assembly, kind: str) -> list[dict[str, Any]]:
    """The properties of every resource of a type."""
    return [resource.get("Properties", {}) for resource in assembly.resources(kind).values()]


def cluster_of(assembly: Assembly) -> dict[str, Any]:
    return only(assembly, "AWS::SageMaker::Cluster")


def group_of(assembly: Assembly, name: str) -> dict[str, Any]:
    groups = {g["InstanceGroupName"]: g for g in cluster_of(assembly)["InstanceGroups"]}
    found: dict[str, Any] = groups[name]
    return found


def text_of(value: Any) -> str:
    """An intrinsic function as one line, for comparing."""
    return json.dumps(value, sort_keys=True)


def security_group_name(assembly: Assembly, reference: Any) -> str:
    """The group that a rule of the network stack names: `Nodes`, `Lustre`, `Home`, ..."""
    logical = reference["Fn::GetAtt"][0]
    template = next(t for name, t in assembly.templates.items() if name.endswith("-network"))
    description: str = template["Resources"][logical]["Properties"]["GroupDescription"]
    return description.split(": ", 1)[1]


def statements(assembly: Assembly) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every statement of every identity policy, with its resource."""
    for stack, template in assembly.templates.items():
        for logical, resource in template["Resources"].items():
            where, properties = f"{stack}/{logical}", resource.get("Properties", {})
            documents = []
            if resource["Type"] == "AWS::IAM::Role":
                documents = [p["PolicyDocument"] for p in properties.get("Policies", [])]
            elif resource["Type"] in ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"):
                documents = [properties["PolicyDocument"]]
            for document in documents:
                for statement in document["Statement"]:
                    yield where, statement


def deployed_file(assembly: Assembly, name: str) -> Any:
    """A JSON file for the nodes, with `token` for the values that CloudFormation inserts."""
    (path,) = assembly.directory.glob(f"asset.*/{name}")
    return _deployed(path)


def deployed_files(assembly: Assembly, name: str) -> list[Any]:
    """As `deployed_file`, where the queues of ParallelCluster have files of their own."""
    return [_deployed(path) for path in assembly.directory.glob(f"asset.*/**/{name}")]


def _deployed(path: Path) -> Any:
    text = re.sub(r"<<marker:0x[0-9a-f]+:\d+>>", "token", path.read_text(encoding="utf-8"))
    return json.loads(text)


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
