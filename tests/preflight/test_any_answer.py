"""For any answer within AWS's API models: no traceback, no exception, never a silent pass."""

from __future__ import annotations

import datetime as dt
import random
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import botocore.session
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clusterwright.aws.errors import REASONS, AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.json_output.check import check_json
from clusterwright.preflight import engine
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.reader import AwsFactReader
from clusterwright.preflight.registry import rule_files
from clusterwright.preflight.results import CheckResult
from clusterwright.render.check import check_markdown, check_text
from clusterwright.render.junit import check_junit
from clusterwright.render.sarif import check_sarif
from tests.preflight.existing_storage import STANDING
from tests.preflight.harness import TODAY
from tests.support import specs

BUILT: dict[str, Any] = {
    "compute.1.capacity": {"kind": "training-plan", "arn": specs.PLAN},
    "run.hours": 24,
    "network.egress": "nat",
    "storage.lustre": [
        {**specs.LUSTRE, "repositories": [{"s3": "s3://acme-corpus", "path": "/data"}]}
    ],
    "storage.home": {"kind": "openzfs", "capacity_gib": 128},
    "compute.1.ebs": {"capacity_gib": 500},
    "identity.kms_key_arn": f"arn:aws:kms:us-east-1:{specs.ACCOUNT}:key/1",
    "identity.permissions_boundary_arn": f"arn:aws:iam::{specs.ACCOUNT}:policy/b",
}
EXISTING: dict[str, Any] = {
    "compute.1.capacity": {"kind": "spot"},
    "network": {
        "availability_zone_id": "use1-az6",
        "existing": {
            "vpc_id": "vpc-00000001",
            "subnet_ids": ["subnet-00000001"],
            "security_group_ids": ["sg-00000001"],
            "database_subnet_ids": ["subnet-00000001", "subnet-00000002"],
        },
    },
    **STANDING,
    "slurm.accounting": {"kind": "rds"},
}
# Words with a meaning for the rules, so that some random answers are relevant.
WORDS = (
    "use1-az6", "use1-az1", "us-east-1d", "us-east-1", "vpc-00000001", "subnet-00000001",
    "subnet-00000002", "sg-00000001", "10.0.0.0/17", "10.1.0.0/20", "ml.p5.48xlarge",
    "p5.48xlarge", "m5.4xlarge", specs.PLAN, "test", "test-network", "-1", "hyperpod-cluster",
    "aws:cloudformation:stack-name", "fs-0123456789abcdef0", "", "\x1b[31m", "🙂",
)  # fmt: skip


@cache
def shape(service: str, operation: str) -> Any:
    session = botocore.session.get_session()
    return session.get_service_model(service).operation_model(operation).output_shape


class AnySession(AwsSession):
    """Answers every call randomly, within the shape of the operation's answer."""

    def __init__(self, seed: int, refusals: float) -> None:
        super().__init__("us-east-1")
        self._seed = seed
        self._refusals = refusals

    def require_credentials(self, *, service: str, operation: str) -> None:
        del service, operation

    def call(
        self, service: str, operation: str, *, region: str | None = None, **parameters: Any
    ) -> Mapping[str, Any]:
        # One generator per call, so that threads do not affect the answers.
        chance = random.Random(f"{self._seed} {service} {operation} {sorted(parameters.items())}")
        if chance.random() < self._refusals:
            raise AwsUnavailable(
                service=service,
                operation=operation,
                region="us-east-1",
                reason=chance.choice(REASONS),
                detail="by chance",
                code=chance.choice(["NoSuchBucket", "AccessDenied", "Weird", None]),
            )
        found = anything(shape(service, operation), chance, 0)
        assert isinstance(found, dict)
        return found

    def pages(
        self, service: str, operation: str, *, region: str | None = None, **parameters: Any
    ) -> Iterator[Mapping[str, Any]]:
        yield self.call(service, operation, page=1, **parameters)
        yield self.call(service, operation, page=2, **parameters)


def anything(of: Any, chance: random.Random, depth: int) -> Any:
    kind = of.type_name
    if kind == "structure":
        required = set(of.required_members)
        return {
            name: anything(member, chance, depth + 1)
            for name, member in of.members.items()
            # Required members are sometimes missing, too.
            if chance.random() < (0.97 if name in required or depth < 3 else 0.8)
        }
    if kind == "list":
        count = 0 if depth > 8 else chance.choice((0, 1, 2))
        return [anything(of.member, chance, depth + 1) for _ in range(count)]
    if kind == "map":
        return {"a": anything(of.value, chance, depth + 1)}
    if kind == "string":
        return chance.choice((*(of.enum or ()), *WORDS))
    if kind in ("integer", "long"):
        return chance.choice((0, 1, 4, 128, 4096, -1, 2**40))
    if kind in ("float", "double"):
        return chance.choice((0.0, 8.0, 1e9, -1.0, 0.5))
    if kind == "boolean":
        return chance.random() < 0.5
    if kind == "timestamp":
        return dt.datetime(2026, 11, 1, tzinfo=dt.UTC) + dt.timedelta(days=chance.randint(-9, 99))
    return b""


@cache
def loaded() -> tuple[LoadedSpec, ...]:
    with tempfile.TemporaryDirectory() as folder:
        return tuple(specs.load(Path(folder), changes) for changes in (BUILT, EXISTING))


def check(spec: LoadedSpec, seed: int, refusals: float) -> CheckResult:
    context = Context(spec, load_catalog(), TODAY)
    return engine.run(rule_files(), context, AwsFactReader(AnySession(seed, refusals)))


@settings(max_examples=40)
@given(seed=st.integers(0, 10**9), refusals=st.sampled_from((0.0, 0.2)))
def test_no_answer_crashes_a_rule(seed: int, refusals: float) -> None:
    for spec in loaded():
        result = check(spec, seed, refusals)
        assert [(r.rule, r.crash) for r in result.crashed] == []
        assert result.exit_code() in (0, 1, 2)
        for text in (
            check_text(result),
            check_json(result, result.exit_code()),
            check_markdown(result, result.exit_code()),
            check_sarif(result, "1.0.0"),
            check_junit(result),
        ):
            assert "\x1b" not in text


@pytest.mark.parametrize("reason", REASONS)
def test_no_account_rule_passes_if_every_call_is_denied(
    reason: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object, service: str, operation: str, **parameters: Any) -> Any:
        raise AwsUnavailable(
            service=service, operation=operation, region="us-east-1", reason=reason, detail="no"
        )

    monkeypatch.setattr(AnySession, "call", refuse)
    for spec in loaded():
        result = check(spec, 0, 0)
        account = [rule for rule in result.rules if rule.account and rule.tested]
        assert len(account) >= 8
        assert {rule.status for rule in account} == {"unknown"}
        assert {entry.reason for entry in result.unanswered if entry.service} == {reason}
