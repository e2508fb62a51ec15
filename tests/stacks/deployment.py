"""Deploys an assembly to the local AWS in this process, as the CDK CLI does.

Only CloudFormation and S3 are used: the templates must not depend on Clusterwright.
"""

from __future__ import annotations

import functools
import io
import json
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import boto3

from tests.support.rich_specs import ACCOUNT
from tests.support.synthesis import Assembly

REGION = "us-east-1"
QUALIFIER = "hnb659fds"


@functools.cache
def _client(service: str, account: str, region: str) -> Any:
    """Clients hold no state of the local AWS, and loading their models takes a second."""
    session = boto3.Session(
        aws_access_key_id=account, aws_secret_access_key="x", region_name=region
    )
    return session.client(service)


class Account:
    """One account and region of the local AWS."""

    def __init__(self, account: str, region: str = REGION) -> None:
        self.account, self.region = account, region

    def client(self, service: str) -> Any:
        return _client(service, self.account, self.region)

    def bootstrap(self) -> None:
        """The resources of `cdk bootstrap` that templates refer to."""
        self.client("s3").create_bucket(Bucket=self._assets())
        self.client("ssm").put_parameter(
            Name=f"/cdk-bootstrap/{QUALIFIER}/version", Value="33", Type="String"
        )

    def _assets(self) -> str:
        return f"cdk-{QUALIFIER}-assets-{self.account}-{self.region}"

    def deploy(self, assembly: Assembly, *, first: Sequence[str] = ()) -> dict[str, str]:
        """Create or update every stack in order; return its status, or `unchanged`, by stack.

        `first` are deployed before, without regard to dependencies: `cdk deploy --exclusively`.
        """
        done = {name: self._deploy(assembly, name) for name in first}
        rest = [name for name in order(assembly) if name not in first]
        return done | {name: self._deploy(assembly, name) for name in rest}

    def _deploy(self, assembly: Assembly, name: str) -> str:
        self._publish(assembly, name)
        cloudformation = self.client("cloudformation")
        url = f"https://s3.{self.region}.amazonaws.com/{self._assets()}/{name}.json"
        there = {s["StackName"] for s in cloudformation.describe_stacks()["Stacks"]}
        asked = {
            "StackName": name,
            "TemplateURL": url,
            # The capabilities that `cdk deploy` acknowledges (aws-cdk 2.1148.1).
            "Capabilities": [
                "CAPABILITY_IAM",
                "CAPABILITY_NAMED_IAM",
                "CAPABILITY_AUTO_EXPAND",
            ],
        }
        if name in there:
            try:
                cloudformation.update_stack(**asked)
            except cloudformation.exceptions.ClientError as error:
                if "No updates are to be performed" in str(error):
                    return "unchanged"
                raise
        else:
            protected = _artifacts(assembly)[name]["properties"].get(
                "terminationProtection", False
            )
            cloudformation.create_stack(**asked, EnableTerminationProtection=protected)
        return self.settled(name)

    def _publish(self, assembly: Assembly, name: str) -> None:
        s3 = self.client("s3")
        manifest = json.loads((assembly.directory / f"{name}.assets.json").read_text())
        for asset in manifest["files"].values():
            source = assembly.directory / asset["source"]["path"]
            body = zipped(source) if asset["source"]["packaging"] == "zip" else source.read_bytes()
            for destination in asset["destinations"].values():
                s3.put_object(
                    Bucket=destination["bucketName"], Key=destination["objectKey"], Body=body
                )
        template = (assembly.directory / f"{name}.template.json").read_bytes()
        s3.put_object(Bucket=self._assets(), Key=f"{name}.json", Body=template)

    def settled(self, name: str) -> str:
        """Return the status of a stack after its operation.

        fail with the reasons in its events.
        """
        cloudformation = self.client("cloudformation")
        for _ in range(2000):
            status = cloudformation.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]
            if not status.endswith("_IN_PROGRESS"):
                break
            time.sleep(0.02)
        if "ROLLBACK" in status or "FAILED" in status:
            events = cloudformation.describe_stack_events(StackName=name)["StackEvents"]
            reasons = [
                e.get("ResourceStatusReason", "")
                for e in events
                if "FAILED" in e["ResourceStatus"]
            ]
            raise AssertionError(f"{name} is {status}: {reasons}")
        return str(status)

    def delete(self, name: str) -> None:
        """Delete one stack and wait until it is deleted."""
        cloudformation = self.client("cloudformation")
        stack_id = cloudformation.describe_stacks(StackName=name)["Stacks"][0]["StackId"]
        cloudformation.delete_stack(StackName=name)
        assert self.settled(stack_id) == "DELETE_COMPLETE"

    def outputs(self, name: str) -> dict[str, str]:
        stack = self.client("cloudformation").describe_stacks(StackName=name)["Stacks"][0]
        return {o["OutputKey"]: o["OutputValue"] for o in stack.get("Outputs", [])}

    def nodes(self, cluster: str) -> list[str]:
        pages = self.client("sagemaker").get_paginator("list_cluster_nodes")
        return sorted(
            node["InstanceGroupName"]
            for page in pages.paginate(ClusterName=cluster)
            for node in page["ClusterNodeSummaries"]
        )

    def holdings(self) -> dict[str, list[str]]:
        """All resources in the account that a cluster could have left."""
        ec2, logs = self.client("ec2"), self.client("logs")
        groups = logs.get_paginator("describe_log_groups").paginate()
        keys = self.client("kms").list_keys()["Keys"]
        kept = [
            key["KeyId"]
            for key in keys
            if self.client("kms").describe_key(KeyId=key["KeyId"])["KeyMetadata"]["KeyState"]
            == "Enabled"
        ]
        found = {
            "alarms": [
                a["AlarmName"] for a in self.client("cloudwatch").describe_alarms()["MetricAlarms"]
            ],
            "buckets": [b["Name"] for b in self.client("s3").list_buckets()["Buckets"]],
            "clusters": [
                c["ClusterName"]
                for c in self.client("sagemaker").list_clusters()["ClusterSummaries"]
            ],
            "databases": [
                d["DBInstanceIdentifier"]
                for d in self.client("rds").describe_db_instances()["DBInstances"]
            ],
            "file systems": [
                f["FileSystemId"]
                for f in self.client("fsx").describe_file_systems()["FileSystems"]
            ],
            "functions": [
                f["FunctionName"] for f in self.client("lambda").list_functions()["Functions"]
            ],
            "keys": kept,
            "log groups": [g["logGroupName"] for page in groups for g in page["logGroups"]],
            "roles": [r["RoleName"] for r in self.client("iam").list_roles()["Roles"]],
            "secrets": [
                s["Name"] for s in self.client("secretsmanager").list_secrets()["SecretList"]
            ],
            "security groups": [
                g["GroupId"] for g in ec2.describe_security_groups()["SecurityGroups"]
            ],
            "stacks": [
                s["StackName"] for s in self.client("cloudformation").describe_stacks()["Stacks"]
            ],
            "topics": [t["TopicArn"] for t in self.client("sns").list_topics()["Topics"]],
            "vpcs": [v["VpcId"] for v in ec2.describe_vpcs()["Vpcs"]],
            "workspaces": [
                w["workspaceId"] for w in self.client("amp").list_workspaces()["workspaces"]
            ],
        }
        return {kind: sorted(names) for kind, names in found.items()}


def order(assembly: Assembly) -> list[str]:
    """The stacks, each after its dependencies."""
    artifacts = _artifacts(assembly)
    found: list[str] = []

    def add(name: str) -> None:
        for dependency in artifacts[name].get("dependencies", []):
            if dependency in assembly.templates:
                add(dependency)
        if name not in found:
            found.append(name)

    for name in assembly.templates:
        add(name)
    return found


def _artifacts(assembly: Assembly) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((assembly.directory / "manifest.json").read_text())
    artifacts: dict[str, Any] = found["artifacts"]
    return artifacts


def zipped(folder: Path) -> bytes:
    """A folder as the archive that the CDK uploads."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder).as_posix())
    return buffer.getvalue()


def bootstrapped() -> Account:
    """The account of the specs, with their existing buckets."""
    found = Account(ACCOUNT)
    found.bootstrap()
    for name in ("test-corpus", "test-datasets"):
        found.client("s3").create_bucket(Bucket=name)
    return found


def add_boundary(account: Account) -> None:
    """The permissions boundary of the spec: without it IAM refuses the roles."""
    statement = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    document = {"Version": "2012-10-17", "Statement": [statement]}
    account.client("iam").create_policy(PolicyName="boundary", PolicyDocument=json.dumps(document))


def objects(account: Account, bucket: str, prefix: str) -> dict[str, str]:
    s3 = account.client("s3")
    listed = s3.list_objects_v2(Bucket=bucket, Prefix=prefix)["Contents"]
    return {
        o["Key"].removeprefix(prefix): s3.get_object(Bucket=bucket, Key=o["Key"])["Body"]
        .read()
        .decode()
        for o in listed
    }
