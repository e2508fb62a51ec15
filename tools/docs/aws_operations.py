"""Generates `clusterwright/aws/operations.json`: the API operations that are called there.

They are found as text: names of botocore's operations in modules that name the service.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from botocore.session import Session

import clusterwright.aws
from clusterwright.aws.operations import ALL

BY_BOTOCORE = {"s3": {"CreateSession"}}
"""Operations that botocore calls by itself. It also calls STS, which is kept whole."""


def operations() -> dict[str, list[str]]:
    """Names of operations by service, both sorted."""
    session: Any = Session()
    services = set(session.get_available_services())
    found: dict[str, set[str]] = {}
    for path in Path(clusterwright.aws.__file__).parent.rglob("*.py"):
        if path.stem in ("operations", "errors"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        values = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
        texts = {value for value in values if isinstance(value, str)}
        for service in services & texts:
            names = texts & set(session.get_service_model(service).operation_names)
            if names:
                found.setdefault(service, set(BY_BOTOCORE.get(service, ()))).update(names)
    return {
        service: [ALL] if service == "sts" else sorted(found[service]) for service in sorted(found)
    }
