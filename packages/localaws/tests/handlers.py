"""Handlers of resource types, called without a stack."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.cloudformation.handler import Context
from clusterwright_localaws.core.runtime import runtime


def context(logical_id: str = "Thing", **more: Any) -> Context:
    """A context in the world's account and region; pauses are short."""
    world = runtime().world
    return Context(
        **{  # type: ignore[arg-type]
            "account": world.account,
            "region": world.region,
            "partition": "aws",
            "stack_name": "stack",
            "stack_id": f"arn:aws:cloudformation:{world.region}:{world.account}:stack/stack/1",
            "logical_id": logical_id,
            "resource_type": "",
            "stack_tags": {},
            "token": "0123456789",
            "suffix": "AbCdEfGhIjKl",
            "pause": lambda _: time.sleep(0.001),
            **more,
        }
    )


def tags(**pairs: str) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in pairs.items()]


def allow(*actions: str, **statement: Any) -> dict[str, Any]:
    """A policy document with one statement."""
    return {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": list(actions), "Resource": "*", **statement}],
    }


def trust(service: str) -> Mapping[str, Any]:
    return {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
        ],
    }


def own_tags(found: Any) -> list[dict[str, str]]:
    """Return tags without those that CloudFormation adds by itself, which must be there."""
    automatic = {tag["Key"] for tag in found if tag["Key"].startswith("aws:cloudformation:")}
    names = ("logical-id", "stack-id", "stack-name")
    assert automatic == {f"aws:cloudformation:{name}" for name in names}
    return [tag for tag in found if tag["Key"] not in automatic]
