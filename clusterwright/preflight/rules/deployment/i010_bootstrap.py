"""The account and region are bootstrapped for the CDK."""

from __future__ import annotations

from clusterwright.preflight.facts.deployment import Parameter, Role
from clusterwright.preflight.facts.storage import Bucket
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subject,
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
    title = "The account and region are bootstrapped for the CDK"
    prevents = (
        "`cdk deploy` ends at once: the environment has no bootstrap stack, an old one, or one "
        "whose bucket somebody deleted"
    )
    source = (
        "CDK v2 developer guide, bootstrapping; requiresBootstrapStackVersion of the assembly; "
        "aws/aws-cdk #18261"
    )

    def subjects(self, context: Context) -> Subjects[str]:
        yield Subject(("account",), version_parameter(context))

    def needs(self, parameter: str, context: Context) -> Facts:
        return (
            Parameter(parameter),
            Bucket(assets_bucket(context)),
            *(Role(name) for name in role_names(context)),
        )

    def check(self, parameter: str, context: Context, facts: FactValues) -> Results:
        cluster = context.cluster
        hint = f"`cdk bootstrap aws://{cluster.account}/{cluster.region}`"
        version = facts[Parameter(parameter)]
        if version is None:
            yield Fail(
                message=f"{cluster.account} is not bootstrapped in {cluster.region}: there is no "
                f"parameter {parameter}",
                # Said at once by `cdk deploy`, which then has made nothing.
                severity="warning",
                requested=VERSION_NEEDED,
                where=cluster.region,
                hint=hint,
            )
            return
        if not version.strip().isdigit():
            yield Unknown(message=f"the bootstrap's version is `{version}`, which is no number")
        elif int(version) < VERSION_NEEDED:
            yield Fail(
                message=f"the bootstrap stack is of version {version}; {VERSION_NEEDED} or newer "
                "is needed",
                requested=VERSION_NEEDED,
                limit=int(version),
                where=cluster.region,
                hint=hint,
            )
        gone = [name for name in role_names(context) if not facts[Role(name)]]
        if gone:
            yield Fail(
                message=f"roles of the bootstrap are missing: {', '.join(gone)}",
                where=cluster.account,
                hint=hint,
            )
        bucket = assets_bucket(context)
        if facts[Bucket(bucket)] is None:
            yield Fail(
                message=f"the bucket of the bootstrap is missing: there is no {bucket}, where "
                "templates and scripts are uploaded",
                where=bucket,
                # The stack takes itself for whole: bootstrapping again alone changes nothing
                # (aws/aws-cdk #18261).
                hint=f"delete the stack CDKToolkit in {cluster.region}, then {hint}",
            )


RULE = Bootstrap()
