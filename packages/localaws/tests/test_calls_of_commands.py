"""The local AWS serves every API call that the commands can make.

The calls are read from the code: `aws/` is the only package that calls AWS, and contains each
service and operation as a string. Calls of checks are recorded and replayed in
tests/preflight/test_faults.py.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

import clusterwright
from clusterwright_localaws import api_page

# moto has these under other names (list_all_buckets, get_bucket_lifecycle,
# get_bucket_notification); tests that make the calls are in tests/preflight and tests/aws.
ELSEWHERE = {
    ("s3", "GetBucketLifecycleConfiguration"),
    ("s3", "GetBucketNotificationConfiguration"),
    ("s3", "ListBuckets"),
}
PACKAGE = Path(clusterwright.__file__).parent / "aws"


def called() -> set[tuple[str, str]]:
    """boto3's service and the API's operation of every call in the package."""
    return {pair for path in sorted(PACKAGE.rglob("*.py")) for pair in _calls(path)}


def _calls(path: Path) -> Iterator[tuple[str, str]]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Constant)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    operations = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value[:1].isupper()
        and node.value.isalnum()
    }
    for node in ast.walk(tree):
        if not (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("call", "pages")
            and ast.unparse(node.func.value) == "session"
        ):
            continue
        service, operation = node.args[:2]
        name = (
            constants[service.id] if isinstance(service, ast.Name) else ast.literal_eval(service)
        )
        if isinstance(operation, ast.Constant):
            yield str(name), str(operation.value)
        else:
            # One of several: every string of the file that is an operation of the service.
            yield from ((str(name), word) for word in operations & _operations(str(name)))


@functools.cache
def _operations(service: str) -> frozenset[str]:
    import botocore.session

    return frozenset(botocore.session.get_session().get_service_model(service).operation_names)


def test_calls_of_commands_are_found() -> None:
    found = called()
    assert len(found) > 40
    assert {
        ("sagemaker", "DescribeCluster"),
        ("service-quotas", "RequestServiceQuotaIncrease"),
        ("s3", "HeadBucket"),
    } <= found


@pytest.mark.parametrize(("service", "operation"), sorted(called()))
def test_call_exists_in_the_api_and_is_served(service: str, operation: str) -> None:
    assert operation in _operations(service), f"{service} has no operation {operation}"
    if (service, operation) not in ELSEWHERE:
        assert operation in served(service), f"the local AWS does not serve {service} {operation}"


@functools.cache
def served(service: str) -> set[str]:
    return {*api_page.own_operations().get(service, ()), *api_page.moto_operations(service)}
