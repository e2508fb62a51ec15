"""The names of the resources that `cdk bootstrap` creates in an account and region.

Source: CDK v2 developer guide, bootstrapping; names of the default synthesizer.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from clusterwright import files
from clusterwright.preflight.rule import Context

DEFAULT_QUALIFIER: Final = "hnb659fds"
VERSION_NEEDED: Final = 6
"""requiresBootstrapStackVersion of our assemblies; `tests/stacks` compares."""

_ROLES: Final = ("deploy-role", "cfn-exec-role", "file-publishing-role")


def qualifier(context: Context) -> str:
    """The qualifier of the CDK app that the spec lies in; the CDK's own without one."""
    for folder in Path(context.spec.file).resolve().parents:
        file = folder / "cdk.json"
        if not file.is_file():
            continue
        try:
            written = json.loads(files.read_text(file))
            found = written["context"]["@aws-cdk/core:bootstrapQualifier"]
        except (KeyError, TypeError, ValueError, OSError):
            break
        return str(found)
    return DEFAULT_QUALIFIER


def version_parameter(context: Context) -> str:
    """The SSM parameter with the version of the bootstrap stack."""
    return f"/cdk-bootstrap/{qualifier(context)}/version"


def role_name(context: Context, kind: str) -> str:
    """The name of one of its roles: `cfn-exec-role`, `deploy-role`, ..."""
    cluster = context.cluster
    return f"cdk-{qualifier(context)}-{kind}-{cluster.account}-{cluster.region}"


def role_names(context: Context) -> tuple[str, ...]:
    """Roles without which nothing is deployed."""
    return tuple(role_name(context, kind) for kind in _ROLES)


def assets_bucket(context: Context) -> str:
    """The bucket that templates and scripts are uploaded to before a deployment."""
    cluster = context.cluster
    return f"cdk-{qualifier(context)}-assets-{cluster.account}-{cluster.region}"


def execution_role_arn(context: Context) -> str:
    """The role with which CloudFormation makes the stacks."""
    cluster = context.cluster
    return f"arn:{cluster.partition}:iam::{cluster.account}:role/" + role_name(
        context, "cfn-exec-role"
    )
