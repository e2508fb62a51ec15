"""Deploys an assembly to the local AWS in this process, stack by stack, as `cdk deploy` does.

The real `cdk` with a server is tested in packages/localaws/tests; here the templates and assets of
the assembly are passed to the same CloudFormation without a socket.
"""

from __future__ import annotations

import copy
import io
import json
import time
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.field_failures.parts import client
from tests.support.synthesis import Assembly

CAPABILITIES = ["CAPABILITY_NAMED_IAM"]
BOOTSTRAP_VERSION = "/cdk-bootstrap/hnb659fds/version"


@dataclass
class Outcome:
    """Result of one stack operation."""

    status: str
    reasons: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return self.status in ("CREATE_COMPLETE", "UPDATE_COMPLETE", "DELETE_COMPLETE")


def order(assembly: Assembly) -> list[str]:
    """The stacks, each after its dependencies."""
    artifacts = json.loads((assembly.directory / "manifest.json").read_text())["artifacts"]
    found: list[str] = []

    def visit(name: str) -> None:
        for before in artifacts[name].get("dependencies", ()):
            visit(before)
        if artifacts[name]["type"] == "aws:cloudformation:stack" and name not in found:
            found.append(name)

    for name in artifacts:
        visit(name)
    return found


def upload_assets(assembly: Assembly) -> None:
    """Do what `cdk bootstrap` and `cdk-assets publish` do."""
    s3, ssm = client("s3"), client("ssm")
    ssm.put_parameter(Name=BOOTSTRAP_VERSION, Value="30", Type="String", Overwrite=True)
    for manifest in sorted(assembly.directory.glob("*.assets.json")):
        for asset in json.loads(manifest.read_text())["files"].values():
            source = assembly.directory / asset["source"]["path"]
            body = _zipped(source) if asset["source"]["packaging"] == "zip" else None
            for place in asset["destinations"].values():
                bucket = place["bucketName"]
                if bucket not in [found["Name"] for found in s3.list_buckets()["Buckets"]]:
                    s3.create_bucket(Bucket=bucket)
                content = source.read_bytes() if body is None else body
                s3.put_object(Bucket=bucket, Key=place["objectKey"], Body=content)


def deploy(
    assembly: Assembly,
    *names: str,
    templates: dict[str, dict[str, Any]] | None = None,
    assets: bool = True,
) -> dict[str, Outcome]:
    """Create or update stacks, all of them without `names`; stop after a failure.

    `templates` replaces templates of the assembly for some stacks.
    """
    if assets:
        upload_assets(assembly)
    outcomes: dict[str, Outcome] = {}
    artifacts = json.loads((assembly.directory / "manifest.json").read_text())["artifacts"]
    for name in order(assembly):
        if names and name not in names:
            continue
        template = (templates or {}).get(name, assembly.templates[name])
        protected = bool(artifacts[name]["properties"].get("terminationProtection"))
        outcomes[name] = _apply(name, json.dumps(template), protected=protected)
        if not outcomes[name].ok:
            break
    return outcomes


def delete(name: str) -> Outcome:
    """Delete one stack and wait."""
    cloudformation = client("cloudformation")
    identity = cloudformation.describe_stacks(StackName=name)["Stacks"][0]["StackId"]
    cloudformation.delete_stack(StackName=name)
    return _settled(identity, 0)


def without(template: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return the template without some resources, and without outputs and `DependsOn` that name
    them.
    """
    result = copy.deepcopy(template)
    for name in names:
        del result["Resources"][name]
    result["Outputs"] = {
        key: output
        for key, output in result.get("Outputs", {}).items()
        if not any(f'"{name}"' in json.dumps(output["Value"]) for name in names)
    }
    for resource in result["Resources"].values():
        after = resource.get("DependsOn", [])
        kept = [one for one in ([after] if isinstance(after, str) else after) if one not in names]
        if kept:
            resource["DependsOn"] = kept
        else:
            resource.pop("DependsOn", None)
    return result


def _apply(name: str, body: str, *, protected: bool) -> Outcome:
    from botocore.exceptions import ClientError

    cloudformation = client("cloudformation")
    key = f"templates/{name}.json"
    bucket = client("s3").list_buckets()["Buckets"][0]["Name"]
    client("s3").put_object(Bucket=bucket, Key=key, Body=body.encode())
    url = f"https://{bucket}.s3.us-east-1.amazonaws.com/{key}"
    try:
        found = cloudformation.describe_stacks(StackName=name)["Stacks"][0]
    except ClientError:
        found = None
    if found is None:
        identity = cloudformation.create_stack(
            StackName=name,
            TemplateURL=url,
            Capabilities=CAPABILITIES,
            EnableTerminationProtection=protected,
        )["StackId"]
        return _settled(identity, 0)
    before = len(_events(found["StackId"]))
    try:
        cloudformation.update_stack(StackName=name, TemplateURL=url, Capabilities=CAPABILITIES)
    except ClientError as error:
        if "No updates are to be performed" in str(error):
            return Outcome("UPDATE_COMPLETE")
        raise
    return _settled(found["StackId"], before)


def _settled(identity: str, before: int) -> Outcome:
    cloudformation = client("cloudformation")
    end = time.monotonic() + 120
    while time.monotonic() < end:
        stack = cloudformation.describe_stacks(StackName=identity)["Stacks"][0]
        if not stack["StackStatus"].endswith("_IN_PROGRESS"):
            events = _events(identity)
            recent = events[: len(events) - before]
            reasons = [
                f"{event['LogicalResourceId']}: {event['ResourceStatusReason']}"
                for event in recent
                if event["ResourceStatus"].endswith("_FAILED") and "ResourceStatusReason" in event
            ]
            return Outcome(stack["StackStatus"], reasons)
        time.sleep(0.02)
    raise AssertionError(f"{identity} is still {stack['StackStatus']}")


def _events(identity: str) -> list[dict[str, Any]]:
    pages = client("cloudformation").get_paginator("describe_stack_events")
    return [e for page in pages.paginate(StackName=identity) for e in page["StackEvents"]]


def _zipped(source: Path) -> bytes:
    if source.is_file():
        return source.read_bytes()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(source.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(source).as_posix())
    return buffer.getvalue()
