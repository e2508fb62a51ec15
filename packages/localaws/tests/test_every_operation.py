"""Every implemented operation, with inputs from its model: minimal, random, varied, invalid.

Every answer matches AWS's model, or is a refusal with a code: never an internal error, a traceback
or a long wait. The seeds are fixed, so that a failure can be repeated; `CLUSTERWRIGHT_FUZZ=1` uses
new and more seeds.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from botocore import xform_name
from botocore.exceptions import (
    ClientError,
    FlexibleChecksumError,
    MissingDependencyException,
    ParamValidationError,
)

from clusterwright_localaws import local_aws
from clusterwright_localaws.api_page import own_operations
from clusterwright_localaws.core import boto_clients
from clusterwright_localaws.server import wire
from packages.localaws.tests import parts
from packages.localaws.tests.eks_parts import EksSite, build_eks_site
from packages.localaws.tests.eks_templates import template
from packages.localaws.tests.generated_inputs import (
    Pool,
    anything,
    smallest,
    varied,
    without_required,
    wrong_types,
)
from packages.localaws.tests.parts import REGION, open_lustre_ports
from packages.localaws.tests.pcs_parts import PcsSite, add_pcs

ACCOUNT = "123456789012"
OPERATIONS = own_operations()
FUZZ = bool(os.environ.get("CLUSTERWRIGHT_FUZZ"))
SEED = random.randrange(10**9) if FUZZ else 3
ROUNDS = 20 if FUZZ else 2
# More than a few milliseconds take on a loaded machine; SDKs wait a minute.
MOST_SECONDS = 1.0
CODE = re.compile(r"[A-Za-z0-9]+(\.[A-Za-z0-9]+)*")
OURS_BROKE = {"InternalFailure", "InternalError", "InternalServiceError", "InternalServerError"}


class Calls:
    """Calls one service, with requests that botocore itself would not send."""

    def __init__(self, service: str) -> None:
        self.service = service
        self.client = boto_clients._build(service, ACCOUNT, REGION)
        self.client.meta.config.parameter_validation = False
        serializer = self.client._serializer
        self.client._serializer = getattr(serializer, "_serializer", serializer)
        self.change: Callable[[Any], None] | None = None
        self.client.meta.events.register("request-created", self._created)

    def _created(self, request: Any, **_: Any) -> None:
        if self.change is not None:
            self.change(request)

    def make(self, operation: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The answer, or an empty one where the call was refused as AWS refuses.

        Raises
        ------
        AssertionError
            The local AWS failed, answered without a code, or was slow.
        """
        before, spent = time.monotonic(), time.thread_time()
        try:
            found: dict[str, Any] = getattr(self.client, xform_name(operation))(**parameters)
        except ClientError as error:
            said = error.response["Error"]
            status = error.response["ResponseMetadata"]["HTTPStatusCode"]
            assert said["Code"] not in OURS_BROKE, (said, parameters)
            assert CODE.fullmatch(said["Code"]), said
            assert 400 <= status < 500 or said["Code"] in _server_errors(self.service), said
            found = {}
        except (ParamValidationError, MissingDependencyException, FlexibleChecksumError):
            # The others: checksums that the client cannot compute.
            return {}
        # Thread time excludes other load; wall time includes waits.
        slow = time.monotonic() - before > 10 * MOST_SECONDS
        assert not slow, (operation, parameters)
        if time.thread_time() - spent >= MOST_SECONDS:
            # The first call of an operation may load data files; the next one may not.
            spent = time.thread_time()
            with contextlib.suppress(ClientError):
                getattr(self.client, xform_name(operation))(**parameters)
            assert time.thread_time() - spent < MOST_SECONDS, (operation, parameters)
        found.pop("ResponseMetadata", None)
        return found


def _server_errors(service: str) -> set[str]:
    """Error codes with a status of 500 or more in the service's model; S3's lacks its own."""
    found = {"NotImplemented"} if service == "s3" else set()
    for shape in wire.service_model(service).error_shapes:
        error = shape.metadata.get("error", {})
        if int(error.get("httpStatusCode", 400)) >= 500:
            found |= {shape.name, error.get("code", shape.name)}
    return found


def addressable(shape: Any, parameters: Mapping[str, Any]) -> bool:
    """Whether every member of the path is set; without it there is no path."""
    if shape is None:
        return True
    return all(
        parameters.get(name)
        for name, member in shape.members.items()
        if member.serialization.get("location") == "uri"
    )


def valid_requests(site: EksSite, pcs: PcsSite) -> dict[tuple[str, str], dict[str, Any]]:
    """Valid requests, from which others are derived by small changes."""
    place = site.site
    lustre = {
        "FileSystemType": "LUSTRE",
        "StorageCapacity": 4800,
        "SubnetIds": [place.subnet_id],
        "SecurityGroupIds": [place.group_id],
        "LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 250},
    }
    groups = [place.controller(), place.group("workers", 2, "ml.m5.xlarge")]
    body = json.dumps({"Resources": {"B": {"Type": "AWS::S3::Bucket"}}})
    return {
        ("sagemaker", "CreateCluster"): place.request(groups[1], name="more"),
        ("sagemaker", "UpdateCluster"): {"ClusterName": "train", "InstanceGroups": groups},
        ("fsx", "CreateFileSystem"): lustre,
        ("eks", "CreateCluster"): site.request("other"),
        ("eks", "CreateNodegroup"): site.group("second"),
        ("pcs", "CreateCluster"): pcs.request("other"),
        ("pcs", "CreateComputeNodeGroup"): pcs.group("second"),
        ("cloudformation", "CreateStack"): {"StackName": "more", "TemplateBody": body},
        ("cloudformation", "UpdateStack"): {"StackName": "small", "TemplateBody": body},
        ("cloudformation", "CreateChangeSet"): {
            "StackName": "small",
            "ChangeSetName": "change",
            "TemplateBody": json.dumps({"Resources": template(site)}),
        },
        ("pricing", "GetProducts"): {
            "ServiceCode": "AmazonEC2",
            "Filters": [{"Type": "TERM_MATCH", "Field": "instanceType", "Value": "p5.48xlarge"}],
        },
        ("service-quotas", "RequestServiceQuotaIncrease"): {
            "ServiceCode": "sagemaker",
            "QuotaCode": "L-8762A75F",
            "DesiredValue": 100000.0,
        },
        ("ec2", "CreateCapacityReservation"): {
            "InstanceType": "p5.48xlarge",
            "InstancePlatform": "Linux/UNIX",
            "AvailabilityZone": "us-east-1a",
            "InstanceCount": 2,
        },
        ("ce", "GetCostAndUsage"): {
            "TimePeriod": {"Start": "2026-10-01", "End": "2026-11-01"},
            "Granularity": "DAILY",
            "Metrics": ["UnblendedCost"],
        },
        ("iam", "SimulateCustomPolicy"): {
            "PolicyInputList": [
                json.dumps(
                    {
                        "Version": "2012-10-17",
                        "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}],
                    }
                )
            ],
            "ActionNames": ["s3:GetObject"],
        },
    }


def settle(pool: Pool) -> tuple[EksSite, PcsSite]:
    """One resource of each kind, so that names in requests exist."""
    site = build_eks_site()
    pcs = add_pcs(site.site)
    open_lustre_ports(site.site)
    found = [site.site.create(site.site.group("workers", 2, "ml.m5.xlarge")), site.create()]
    found += [pcs.create(), pcs.create_group(), pcs.create_queue()]
    valid = valid_requests(site, pcs)
    fsx, cloudformation = parts.client("fsx"), parts.client("cloudformation")
    found.append(fsx.create_file_system(**valid["fsx", "CreateFileSystem"]))
    cloudformation.create_stack(
        StackName="small", TemplateBody=valid["cloudformation", "CreateStack"]["TemplateBody"]
    )
    found.append(parts.settled("small"))
    parts.client("logs").create_log_group(logGroupName="group")
    found.append(parts.client("amp").create_workspace(alias="metrics"))
    for value in (*found, *valid.values(), {"logGroupName": "group", "AccountId": ACCOUNT}):
        pool.add(value)
    pool.add(
        {
            "ServiceCode": ["AmazonEC2", "sagemaker", "fsx"],
            "QuotaCode": "L-8762A75F",
            "PolicySourceArn": site.site.role_arn,
            "principalArn": site.pod_role,
            "NodeIds": [node["InstanceId"] for node in parts.nodes()],
            "AvailabilityZone": ["us-east-1a", "us-east-1f"],
            "Region": REGION,
        }
    )
    return site, pcs


class Asked:
    """A service with existing resources, and its inputs."""

    def __init__(self, service: str) -> None:
        self.pool = Pool()
        self.draw = random.Random(f"{SEED} {service}")
        sites = settle(self.pool)
        self.valid = {
            operation: request
            for (one, operation), request in valid_requests(*sites).items()
            if one == service
        }
        self.calls = Calls(service)
        self.shapes = {
            operation: wire.service_model(service).operation_model(operation).input_shape
            for operation in OPERATIONS[service]
        }


@pytest.fixture(scope="module", params=OPERATIONS)
def asked(request: pytest.FixtureRequest) -> Iterator[Asked]:
    with local_aws(account=ACCOUNT):
        yield Asked(request.param)


@pytest.fixture(autouse=True)
def _nothing_on_stderr(capsys: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    assert capsys.readouterr().err == "", f"seed {SEED}"


def test_missing_required_member_is_refused_by_every_operation(asked: Asked) -> None:
    for operation, shape in asked.shapes.items():
        if shape is None:
            continue
        valid = asked.valid.get(operation) or smallest(shape, asked.draw, asked.pool)
        for member, broken in without_required(shape, valid):
            if addressable(shape, broken):
                refused = asked.calls.make(operation, broken) == {}
                assert refused, (operation, member)


def test_value_of_a_wrong_type_is_refused_or_converted(asked: Asked) -> None:
    """In the body: JSON of another type, and text in a form instead of a number."""
    for operation, shape in asked.shapes.items():
        if shape is None:
            continue
        valid = asked.valid.get(operation) or anything(shape, asked.draw, asked.pool)
        if not addressable(shape, valid):
            continue
        for _ in range(3 * ROUNDS):
            asked.calls.change = _twisted(asked.draw)
            asked.calls.make(operation, valid)
        asked.calls.change = None


def test_arbitrary_input_is_answered_or_refused(asked: Asked) -> None:
    draw, pool = asked.draw, asked.pool
    for _ in range(ROUNDS):
        for operation in draw.sample(sorted(asked.shapes), len(asked.shapes)):
            shape = asked.shapes[operation]
            if shape is None:
                pool.add(asked.calls.make(operation, {}))
                continue
            requests = [smallest(shape, draw, pool), anything(shape, draw, pool)]
            if operation in asked.valid:
                valid = asked.valid[operation]
                requests += [varied(shape, valid, draw, pool) for _ in range(12)]
            for request in requests:
                if addressable(shape, request):
                    pool.add(asked.calls.make(operation, request))


def _twisted(draw: random.Random) -> Callable[[Any], None]:
    """Change one value of a body: in JSON its type, in a form its text."""

    def change(request: Any) -> None:
        data = request.data
        if isinstance(data, dict):
            names = [name for name in data if name not in ("Action", "Version")]
            if names:
                name = draw.choice(names)
                data[name] = draw.choice(("text", "-1", "1.5", "", "true", "é\u4e2d", "[]"))
                if draw.random() < 0.3:
                    data[f"{name}.1"] = "deeper"
            return
        try:
            document = json.loads(data)
        except (TypeError, ValueError):
            return
        twisted = list(wrong_types(document, draw))
        if twisted:
            request.data = json.dumps(draw.choice(twisted)[1]).encode()

    return change
