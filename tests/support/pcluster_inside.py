"""Runs in the environment of aws-parallelcluster, not in ours: validates many configurations.

One JSON object per line on stdin, one answer per line on stdout; described in `pcluster_oracle`.
One process for all of them: importing the package takes longer than judging with it.
"""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any


def main() -> None:
    """Answer each line; ParallelCluster's own output goes to stderr."""
    # Loading a configuration calls EC2 for types, so the first call must not time out.
    for line in sys.stdin:
        asked = json.loads(line)
        with contextlib.redirect_stdout(sys.stderr):
            answer = _ANSWERS[asked["ask"]](asked)
        print(json.dumps(answer), flush=True)


def _load(asked: dict[str, Any]) -> Any:
    from pcluster.schemas.cluster_schema import ClusterSchema

    return ClusterSchema(cluster_name=asked["name"]).load(asked["configuration"])


def _schema(asked: dict[str, Any]) -> dict[str, Any]:
    from marshmallow import ValidationError

    try:
        _load(asked)
    except ValidationError as error:
        return {"errors": str(error.messages)}
    return {"errors": ""}


def _validators(asked: dict[str, Any]) -> dict[str, Any]:
    from pcluster.validators.common import ValidatorContext

    try:
        found = _load(asked).validate(set(), ValidatorContext())
    except Exception as error:  # noqa: BLE001 - one wrong id ends all validators: an answer too
        name = type(error).__name__
        return {"messages": [{"level": "ERROR", "type": name, "message": str(error)}]}
    return {
        "messages": [
            {"level": one.level.name, "type": one.validator_type, "message": one.message}
            for one in found
        ]
    }


def _templates(asked: dict[str, Any]) -> dict[str, Any]:
    """The templates that would be deployed: the root's and those of nested stacks."""
    from aws_cdk.core import App
    from pcluster.models.s3_bucket import S3Bucket
    from pcluster.templates.cluster_stack import ClusterCdkStack

    config = _load(asked)
    bucket = S3Bucket("local", "parallelcluster-" + asked["name"], "artifacts", name="local")
    with tempfile.TemporaryDirectory() as folder:
        app = App(outdir=folder)
        ClusterCdkStack(
            app, asked["name"], asked["name"], config, bucket, "/aws/parallelcluster/x"
        )
        app.synth()
        found = []
        for path in sorted(Path(folder).glob("*.template.json")):
            found.append(json.loads(path.read_text()))
    return {"templates": found}


class _Cluster:
    """The parts of a cluster that an update check needs."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self.name = self.stack_name = asked["name"]
        self._fleet, self._login = asked["fleet_runs"], asked["login_nodes_run"]

    def has_running_capacity(self, updated_value: bool = False) -> bool:
        return bool(self._fleet)

    def has_running_login_nodes(
        self,
        updated_value: bool = False,
        pool_name: str | None = None,
    ) -> bool:
        return bool(self._login) if not pool_name else pool_name in self._login


def _patch(asked: dict[str, Any]) -> dict[str, Any]:
    """The result of the update check for each change that is not simply accepted."""
    from pcluster.config.config_patch import ConfigPatch

    patch = ConfigPatch(_Cluster(asked), asked["base"], asked["configuration"])
    allowed, rows = patch.check()
    heads, *changes = rows
    found = []
    for change in changes:
        row = dict(zip(heads, change))  # noqa: B905 - rows are as long as their heading
        path = ConfigPatch.build_config_param_path(row["param_path"], row["parameter"])
        found.append({"path": path, "check": row["check"], "update_policy": row["update_policy"]})
    return {"allowed": bool(allowed), "rows": found}


def _policies(asked: dict[str, Any]) -> dict[str, Any]:
    from pcluster.schemas.cluster_schema import ClusterSchema

    found: dict[str, str] = {}
    _walk(ClusterSchema(cluster_name="train"), "", found)
    return {"policies": found}


def _limits(asked: dict[str, Any]) -> dict[str, Any]:
    """The package's numbers and lists."""
    from importlib.resources import files

    from pcluster import constants

    regions = files("pcluster").joinpath("resources", "supported-regions").read_text()
    names = (
        "CAPACITY_RESERVATION_OS_MAP",
        "MAX_TAGS_COUNT",
        "ULTRASERVER_CAPACITY_BLOCK_ALLOWED_SIZE_DICT",
        "MAX_NUMBER_OF_QUEUES",
        "MAX_NUMBER_OF_COMPUTE_RESOURCES_PER_CLUSTER",
        "MAX_NUMBER_OF_LOGIN_NODE_POOLS",
    )
    return {"regions": regions.split(), **{name: getattr(constants, name) for name in names}}


def _walk(schema: Any, path: str, found: dict[str, str]) -> None:
    from pcluster.config.update_policy import UpdatePolicy

    for field in schema.declared_fields.values():
        nested = hasattr(field, "nested")
        key = path + field.data_key
        if nested and getattr(field, "many", False):
            key += f"[{field.metadata.get('update_key')}]"
        found[key] = field.metadata.get("update_policy", UpdatePolicy.UNSUPPORTED).name
        if nested:
            _walk(field.schema, key + "/", found)


_ANSWERS = {
    "schema": _schema,
    "validators": _validators,
    "templates": _templates,
    "patch": _patch,
    "policies": _policies,
    "limits": _limits,
}

if __name__ == "__main__":
    main()
