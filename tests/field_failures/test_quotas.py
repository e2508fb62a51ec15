"""Failures about quotas: found before creation, compared with usage, with number and code."""

from __future__ import annotations

import ast
import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore import xform_name
from botocore.exceptions import ClientError

from clusterwright.catalog import Known, load_catalog
from clusterwright.preflight.context import Context
from clusterwright.preflight.registry import rule_files
from packages.localaws.tests.parts import Site, build_site
from tests.field_failures.parts import (
    P5_USAGE,
    Checked,
    account,
    checked,
    client,
    run_rules,
)
from tests.support import specs

ROOT = Path(__file__).resolve().parents[2]
WORKERS = "compute.1"
PLAN = {"kind": "training-plan", "arn": specs.PLAN}
HOME = {"kind": "openzfs", "capacity_gib": 128}


def lustre(**more: Any) -> dict[str, Any]:
    return {"storage.lustre": [{**specs.LUSTRE, "efa": False, **more}]}


# Each quota of a HyperPod cluster is too small once, in an account with otherwise ample quotas.
QUOTAS = [
    ("CW-Q001", P5_USAGE, {}),
    ("CW-Q001", "sagemaker/L-24520F3F", {}),
    ("CW-Q002", None, {f"{WORKERS}.capacity": {"kind": "spot"}}),
    ("CW-Q003", "sagemaker/L-2CE978FC", {}),
    ("CW-Q004", "sagemaker/L-3308CCC7", {}),
    ("CW-Q005", "sagemaker/L-E13DF72A", {f"{WORKERS}.ebs": {"capacity_gib": 500}}),
    ("CW-Q012", "sagemaker/L-9EF527CA", {f"{WORKERS}.capacity": PLAN}),
    ("CW-Q030", None, lustre()),
    ("CW-Q031", None, lustre()),
    ("CW-Q035", "fsx/L-88479C21", {"storage.home": HOME}),
    ("CW-Q036", "fsx/L-4EDE4065", {"storage.home": HOME}),
    ("CW-Q040", "vpc/L-F678F1CE", {}),
    ("CW-Q041", "ec2/L-0263D0A3", {"network.egress": "nat"}),
    ("CW-Q042", "vpc/L-FE5A380F", {"network.egress": "nat"}),
]


def code_of(rule: str, key: str | None, folder: Path, changes: dict[str, Any]) -> str:
    """The quota's key in a world; if it depends on the spec, the rule names it."""
    if key is not None:
        return key
    context = Context(specs.load(folder, changes), load_catalog(), dt.date(2026, 11, 20))
    (file,) = [file for file in rule_files() if file.id == rule]
    _, want = next(iter(file.rule.subjects(context)))
    if rule == "CW-Q002":
        *_, (_, want) = file.rule.subjects(context)
    return f"{want.service}/{want.code}"


@pytest.mark.parametrize(("rule", "key", "changes"), QUOTAS)
def test_awsome_198_quota_is_found_before_creation(
    tmp_path: Path, rule: str, key: str | None, changes: dict[str, Any]
) -> None:
    quota = code_of(rule, key, tmp_path, changes)
    with account(quotas={quota: 0}):
        short = checked(tmp_path, changes, "--only", rule)
    finding = next(f for f in short.of(rule) if f["quota_code"] == quota.partition("/")[2])
    assert short.exit_code == 1
    assert finding["severity"] == "error"
    assert finding["limit"] == 0
    assert finding["requested"] > 0
    assert re.search(r", 0( GB| GiB| MBps)? are free in us-east-1$", finding["message"])
    assert "--request-quotas`; allow days to weeks" in finding["hint"]
    with account():
        ample = checked(tmp_path, changes, "--only", rule)
    assert (ample.exit_code, ample.status(rule)) == (0, "pass")


def creation(site: Site, count: int) -> str | None:
    """Return the error code of CreateCluster for `count` workers, or None."""
    try:
        client("sagemaker").create_cluster(**site.request(site.group("workers", count)))
    except ClientError as error:
        return str(error.response["Error"]["Code"])
    return None


def test_found_quota_is_reported_with_its_numbers_and_code(tmp_path: Path) -> None:
    with account("new-account"):
        check = checked(tmp_path)
    messages = {finding["quota_code"]: finding for finding in check.of("CW-Q001")}
    finding = messages["L-8762A75F"]
    assert finding["message"] == (
        '4 × ml.p5.48xlarge need 4 of "ml.p5.48xlarge for cluster usage", 0 are free in us-east-1'
    )
    assert (finding["requested"], finding["used"], finding["limit"]) == (4, 0, 0)
    assert finding["hint"].startswith("request 4: `clusterwright check ")
    # In the same account the API refuses the same number, and no smaller one.
    with account(quotas={P5_USAGE: 3}):
        site = build_site()
        assert checked(tmp_path, {}, "--only", "CW-Q001").exit_code == 1
        assert creation(site, 4) == "ResourceLimitExceeded"
        assert checked(tmp_path, {f"{WORKERS}.count": 3}, "--only", "CW-Q001").exit_code == 0
        assert creation(site, 3) is None


def test_parallelcluster_1035_quota_rule_counts_correctly_and_can_be_skipped(
    tmp_path: Path,
) -> None:
    def growth(name: str, count: int) -> Checked:
        changes = {"environment": name, f"{WORKERS}.count": count}
        return checked(tmp_path, changes, "--only", "CW-Q001,CW-Q003,CW-Q004")

    with account(quotas={P5_USAGE: 8}):
        site = build_site()
        client("sagemaker").create_cluster(**site.request(site.group("workers", 6), name="ours"))
        # Six of eight belong to this cluster: it can grow to eight, not to nine.
        assert growth("ours", 8).findings == []
        assert growth("ours", 6).findings == []
        assert growth("ours", 9).one("CW-Q001")["used"] == 0
        # A second cluster, as in a blue-green change, has two left.
        assert growth("theirs", 2).findings == []
        finding = growth("theirs", 3).one("CW-Q001")
        assert (finding["requested"], finding["used"], finding["limit"]) == (3, 6, 8)
        # A user who deletes the old cluster first can skip this rule alone.
        beside = {"environment": "theirs", f"{WORKERS}.count": 3, "network.cidr": "10.0.0.0/26"}
        left_out = checked(tmp_path, beside, "--skip", "CW-Q001")
        assert left_out.status("CW-Q001") == "skipped"
        assert left_out.of("CW-N003"), "the other rules still run"
        waiver = {
            "rule": "CW-Q001",
            "path": "compute[1].count",
            "reason": "the old cluster goes before this one is full",
            "expires": "2099-01-31",
        }
        waived = checked(tmp_path, {**beside, "waivers": [waiver]}, "--only", "CW-Q001")
        assert (waived.exit_code, waived.status("CW-Q001")) == (0, "waived")


def test_found_quotas_are_matched_by_code_and_other_usage_is_subtracted(tmp_path: Path) -> None:
    with account(quotas={P5_USAGE: 8}, usage={P5_USAGE: 5}):
        finding = checked(tmp_path, {}, "--only", "CW-Q001").one("CW-Q001")
        assert (finding["requested"], finding["used"], finding["limit"]) == (4, 5, 8)
        assert "3 are free" in finding["message"]
        three = {f"{WORKERS}.count": 3}
        assert checked(tmp_path, three, "--only", "CW-Q001").findings == []
    # Other quotas whose names contain the same words are ignored.
    catalog = load_catalog()
    alike = {
        f"sagemaker/{quota.code}": 0.0
        for quota in catalog.quotas
        if quota.service == "sagemaker"
        and quota.code
        and "p5.48xlarge" in quota.name
        and quota.code != P5_USAGE.partition("/")[2]
    }
    assert len(alike) >= 2
    with account(quotas=alike):
        assert checked(tmp_path, {}, "--only", "CW-Q001").findings == []


@pytest.mark.parametrize(
    ("instance_type", "code", "vcpus"),
    [
        ("m5.4xlarge", "L-1216C47A", 16),
        ("p5.48xlarge", "L-417A185B", 192),
        ("g5.48xlarge", "L-DB2E81BA", 192),
        ("trn1.32xlarge", "L-2C3B7624", 128),
    ],
)
def test_crabbox_2435_each_family_has_its_own_quota(
    tmp_path: Path, instance_type: str, code: str, vcpus: int
) -> None:
    changes = {
        "platform": "parallelcluster",
        "compute.0.count": 1,
        f"{WORKERS}.instance_type": instance_type,
        f"{WORKERS}.count": 4,
    }
    spec = specs.unchecked(tmp_path, changes)
    codes = {
        quota.value.code
        for quota in (
            load_catalog().quota_for(name, "ec2-on-demand")
            for name in ("m5.4xlarge", "p5.48xlarge", "g5.48xlarge", "trn1.32xlarge")
        )
        if isinstance(quota, Known)
    }
    assert len(codes) == 4, "no two of these families share a quota"
    wanted = 4 * vcpus + (16 if instance_type == "m5.4xlarge" else 0)
    with account(quotas={f"ec2/{code}": wanted - 1}):
        (finding,) = run_rules(spec, "CW-Q020").findings
    assert (finding.requested, finding.limit, finding.quota_code) == (wanted, wanted - 1, code)
    others = {f"ec2/{other}": 0.0 for other in codes - {code, "L-1216C47A"}}
    with account(quotas={f"ec2/{code}": wanted, **others}):
        assert run_rules(spec, "CW-Q020").findings == ()


DENIED = {"service": "*", "operation": "*", "error": "AccessDeniedException"}


def test_rosa_636_denied_call_is_unknown_and_names_the_permission(tmp_path: Path) -> None:
    fault = {**DENIED, "service": "service-quotas"}
    with account(faults=[fault]):
        check = checked(tmp_path, {}, "--only", "CW-Q")
    assert check.exit_code == 2
    assert check.findings == []
    assert check.status("CW-Q001") == "unknown"
    assert check.status("CW-Q003") == "unknown"
    unanswered = check.answer["unknown"]
    assert {row["iam_action"] for row in unanswered} == {"servicequotas:GetServiceQuota"}
    assert all("servicequotas:GetServiceQuota" in row["message"] for row in unanswered)
    with account(faults=[fault]):
        assert checked(tmp_path, {}, "--only", "CW-Q", "--strict").exit_code == 1


@pytest.mark.parametrize(
    "code",
    [
        "AccessDenied",
        "ExpiredToken",
        "InvalidParameterCombination",
        "RequestLimitExceeded",
        "InternalFailure",
        "NobodyHasEverSeenThisError",
    ],
)
def test_found_aws_error_is_never_a_pass(tmp_path: Path, code: str) -> None:
    """The reported error is InvalidParameterCombination; here any error, of every call."""
    changes = {f"{WORKERS}.capacity": PLAN, "storage.home": HOME, **lustre()}
    with account(faults=[{**DENIED, "error": code}]):
        check = checked(tmp_path, changes, "--timeout", "30")
    rows = [row for row in check.answer["rules"] if row["scope"] == "account" and row["tested"]]
    assert len(rows) > 8
    assert {row["status"] for row in rows} == {"unknown"}
    assert check.exit_code == 2
    asked = {row["rule"] for row in rows}
    assert {row["rule"] for row in check.answer["unknown"]} >= asked
    assert not [finding for finding in check.findings if finding["rule"] in asked]


def test_found_every_page_of_every_list_is_read(tmp_path: Path) -> None:
    """The same account with one item per page has the same findings."""

    def findings(**world: Any) -> list[str]:
        with account(quotas={P5_USAGE: 4}, **world):
            site = build_site()
            for name in ("one", "two", "three"):
                request = site.request(site.group("workers", 1), name=name)
                client("sagemaker").create_cluster(**request)
            return checked(tmp_path, {}, "--only", "CW-Q,CW-C").messages("CW-Q001")

    whole = findings()
    assert len(whole) == 1
    assert "1 is free" in whole[0]
    page = {"service": "sagemaker", "operation": "ListClusters", "truncate": 1}
    assert findings(faults=[page]) == whole

    # Other lists: answers with pages are read by the paginator, or requested by id.
    asked = set()
    with account():
        for source in (ROOT / "clusterwright" / "aws").rglob("*.py"):
            for how, service, operation, names in _questions(source):
                asked.add(operation)
                method = xform_name(operation)
                if client(service).can_paginate(method) and how == "call":
                    assert any(name.endswith(("Ids", "Id", "Name")) for name in names), operation
    assert {"DescribeVpcs", "DescribeSubnets", "DescribeFileSystems", "GetProducts"} <= asked


QUESTIONS = ("call", "pages", "items")


def _questions(source: Path) -> Iterator[tuple[str, str, str, list[str]]]:
    """Find `session.call(service, operation, Name=...)` and `session.pages(...)` in a module."""
    services = {"aws/pricing.py": "pricing", "aws/quotas.py": "service-quotas"}
    for call in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        if ast.unparse(call.func.value) != "session" or call.func.attr not in QUESTIONS:
            continue
        service, operation = call.args[:2]
        if not isinstance(operation, ast.Constant):
            # One of several operations: one quota by its code (no list), or quotas by pages.
            keywords = [keyword.arg for keyword in call.keywords]
            assert "QuotaCode" in keywords or call.func.attr in ("pages", "items")
            continue
        name = (
            str(service.value)
            if isinstance(service, ast.Constant)
            else services[f"{source.parent.name}/{source.name}"]
        )
        yield call.func.attr, name, str(operation.value), [k.arg or "" for k in call.keywords]


def test_parallelcluster_3977_number_of_calls_does_not_grow_with_the_cluster(
    tmp_path: Path,
) -> None:
    """Fifty groups of one type make the same AWS calls as one group."""

    def calls(groups: int) -> int:
        worker = specs.SMALL["compute"][1]
        workers = [{**worker, "name": f"g{n}", "count": 1} for n in range(groups)]
        with account():
            check = checked(tmp_path, {"compute": [specs.SMALL["compute"][0], *workers]})
        assert check.exit_code == 0
        return int(check.answer["calls"])

    assert calls(1) == calls(50) < 80
