"""The account and region are bootstrapped for the CDK."""

from __future__ import annotations

from pathlib import Path

from clusterwright.preflight.facts.deployment import Parameter, Role
from clusterwright.preflight.facts.storage import Bucket
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
    Unknown,
)
from clusterwright.preflight.rules.deployment.bootstrap import (
    VERSION_NEEDED,
    assets_bucket,
    role_names,
    version_parameter,
)


class Bootstrap(Rule[str]):
    id = "CW-I010"
    prevents = (
        "`cdk deploy` fails immediately: the environment has no bootstrap stack, an outdated "
        "one, or one whose bucket was deleted"
    )
    source = (
        "CDK v2 developer guide, bootstrapping; requiresBootstrapStackVersion of the assembly; "
        "aws/aws-cdk #18261"
    )

    def subjects(self, context: Context) -> Subjects[str]:
        yield ("account",), version_parameter(context)

    def needs(self, parameter: str, context: Context) -> Facts:
        return (
            Parameter(parameter),
            Bucket(assets_bucket(context)),
            *(Role(name) for name in role_names(context)),
        )

    def check(self, parameter: str, context: Context, facts: FactValues) -> Results:
        cluster = context.cluster
        hint = f"`cdk bootstrap {_spec_option(context)}`"
        version = facts[Parameter(parameter)]
        if version is None:
            yield Fail(
                message=f"{cluster.account} is not bootstrapped in {cluster.region}: the "
                f"parameter {parameter} does not exist",
                # `cdk deploy` reports it before it creates anything.
                severity="warning",
                requested=VERSION_NEEDED,
                where=cluster.region,
                hint=hint,
            )
            return
        if not version.strip().isdigit():
            yield Unknown(message=f"the bootstrap version `{version}` is not a number")
        elif int(version) < VERSION_NEEDED:
            yield Fail(
                message=f"the bootstrap stack has version {version}; {VERSION_NEEDED} or later "
                "is required",
                requested=VERSION_NEEDED,
                limit=int(version),
                where=cluster.region,
                hint=hint,
            )
        gone = [name for name in role_names(context) if not facts[Role(name)]]
        if gone:
            yield Fail(
                message=f"roles of the bootstrap stack are missing: {', '.join(gone)}",
                where=cluster.account,
                hint=hint,
            )
        bucket = assets_bucket(context)
        if facts[Bucket(bucket)] is None:
            yield Fail(
                message=f"the bucket {bucket} of the bootstrap stack, to which templates and "
                "scripts are uploaded, does not exist",
                where=bucket,
                # CloudFormation sees no change, so bootstrapping again does not recreate it
                # (aws/aws-cdk #18261).
                hint=f"delete the stack CDKToolkit in {cluster.region}, then {hint}",
            )


def _spec_option(context: Context) -> str:
    """The option that names the spec to the CDK app, which states no environment without one."""
    file = Path(context.spec.file)
    if file.parent.name == "configs" and file.suffix == ".yaml":
        return f"-c env={file.stem}"
    return f"-c config={file}"
