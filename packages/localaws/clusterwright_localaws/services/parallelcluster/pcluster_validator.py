"""Validates a configuration; runs in the separate environment of aws-parallelcluster.

Reads one JSON object from stdin and writes one to stdout, both described in `validation.py`.
It uses nothing of this repository: ParallelCluster needs CDK v1 and cannot share an environment.
"""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Any


class _Running:
    """The state of the cluster that a patch needs; its fleets are those of the input."""

    def __init__(self, name: str, *, capacity: bool, pools: list[str]) -> None:
        self.name = self.stack_name = name
        self._capacity, self._pools = capacity, pools

    def has_running_capacity(self, updated_value: bool = False) -> bool:
        del updated_value
        return self._capacity

    def has_running_login_nodes(
        self, updated_value: bool = False, pool_name: str | None = None
    ) -> bool:
        del updated_value
        return bool(self._pools) if not pool_name else pool_name in self._pools


def main() -> None:
    """Validate the configuration from stdin; ParallelCluster's own output goes to stderr."""
    request = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr):
        answer = _validate(request)
    json.dump(answer, sys.stdout)


def _validate(request: dict[str, Any]) -> dict[str, Any]:
    from marshmallow import ValidationError  # type: ignore[import-not-found,unused-ignore]
    from pcluster.schemas.cluster_schema import ClusterSchema
    from pcluster.utils import get_installed_version

    answer: dict[str, Any] = {
        "version": get_installed_version(),
        "messages": [],
        "refused": [],
        "validators": False,
    }
    try:
        config = ClusterSchema(cluster_name=request["name"]).load(request["configuration"])
    except ValidationError as error:
        found = error.messages
        text = str(sorted(found.items()) if isinstance(found, dict) else error)
        answer["messages"].append(
            {"level": "ERROR", "type": "ConfigSchemaValidator", "message": text}
        )
        return answer
    if request["base"] is not None:
        answer["refused"] = _refused(request)
    if request["validators"] and not answer["refused"]:
        answer["messages"] += _validated(config, request)
        answer["validators"] = True
    return answer


def _validated(config: Any, request: dict[str, Any]) -> list[dict[str, str]]:
    from pcluster.api.controllers.common import get_validator_suppressors
    from pcluster.validators.common import ValidatorContext

    if request["base"] is not None:
        # Security groups that ParallelCluster created; ours are additional, so none is needed.
        config.managed_head_node_security_group = request["head_node_security_group"]
        config.managed_compute_security_group = request["compute_security_group"]
    context = ValidatorContext(
        head_node_instance_id=request["head_node_instance_id"],
        during_update=request["base"] is not None,
    )
    try:
        found = config.validate(get_validator_suppressors(request["suppressed"] or None), context)
    except Exception as error:  # noqa: BLE001 - as `Cluster._validate_and_parse_config` does
        text = f"Invalid cluster configuration: {error}"
        return [{"level": "ERROR", "type": "", "message": text}]
    return [
        {"level": item.level.name, "type": item.validator_type, "message": item.message}
        for item in found
    ]


def _refused(request: dict[str, Any]) -> list[dict[str, str]]:
    from pcluster.config.config_patch import ConfigPatch

    cluster = _Running(
        request["name"], capacity=request["running_capacity"], pools=request["running_login_pools"]
    )
    allowed, rows = ConfigPatch(cluster, request["base"], request["configuration"]).check()
    if allowed:
        return []
    names, *changes = rows
    found = []
    for change in changes:
        row = dict(zip(names, change))  # noqa: B905 - rows are as long as their heading
        if row["check"] == "SUCCEEDED":
            continue
        parameter = ConfigPatch.build_config_param_path(row["param_path"], row["parameter"])
        stated = [text for text in (row["reason"], row["action_needed"]) if text and text != "-"]
        found.append(
            {
                "parameter": str(parameter),
                "requestedValue": str(row["new value"]),
                "currentValue": str(row["old value"]),
                "message": ". ".join(text.rstrip(".") for text in stated) + ".",
            }
        )
    return found


if __name__ == "__main__":
    main()
