"""The table of operations has exactly those that the code uses."""

from __future__ import annotations

import ast
from pathlib import Path

from botocore.session import Session

import clusterwright.aws
from clusterwright.aws.api_models import asks, read_models_small
from clusterwright.aws.operations import ALL, OPERATIONS


def test_table_has_the_operations_that_the_code_uses() -> None:
    whole = Session()
    read_models_small(whole, None)
    asked: dict[str, set[str]] = {}
    names = set(whole.get_available_services())
    for path in Path(clusterwright.aws.__file__).parent.rglob("*.py"):
        if path.stem in ("operations", "errors"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        values = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)]
        texts = {value for value in values if isinstance(value, str)}
        for service in names & texts:
            model = whole.get_service_model(service)
            asked.setdefault(service, set()).update(texts & set(model.operation_names))
    by_botocore = {"s3": {"CreateSession"}}
    found = {name: ops | by_botocore.get(name, set()) for name, ops in asked.items() if ops}
    assert found.pop("sts") == {"GetCallerIdentity"}
    assert found == {name: set(ops) for name, ops in OPERATIONS.items() if ops != (ALL,)}


def test_all_operations_of_sts_are_in_the_table() -> None:
    assert OPERATIONS["sts"] == (ALL,)
    assert asks("sts", "AssumeRoleWithWebIdentity")
    assert asks("ec2", "DescribeVpcs")
    assert not asks("ec2", "DescribeTags")
