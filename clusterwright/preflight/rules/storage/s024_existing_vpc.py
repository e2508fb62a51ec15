"""A file system that exists is in the VPC of the nodes."""

from __future__ import annotations

from clusterwright.preflight.facts.network import Vpcs
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.storage.existing_file_systems import (
    ExistingFiles,
    existing_files,
    found_among,
)


class ExistingFilesVpc(Rule[ExistingFiles]):
    id = "CW-S024"
    title = "File systems that exist are in the nodes' VPC"
    prevents = "CreateCluster fails: nodes cannot carry a security group of another VPC"
    source = "aws/aws-parallelcluster, ExistingFsxNetworking; EC2, security groups are of one VPC"

    def subjects(self, context: Context) -> Subjects[ExistingFiles]:
        return existing_files(context)

    def needs(self, context: Context) -> Facts:
        built = context.cluster.network.existing is None
        return (FileSystems(), Vpcs()) if built else (FileSystems(),)

    def check(self, files: ExistingFiles, context: Context, facts: FactValues) -> Results:
        found = found_among(facts[FileSystems()], files)
        if found is None or found.vpc_id is None:
            return  # CW-S014 and CW-S022 say so
        existing = context.cluster.network.existing
        if existing is not None:
            if found.vpc_id != existing.vpc_id:
                yield Fail(
                    message=f"{found.id} is in {found.vpc_id}, the nodes in {existing.vpc_id}",
                    requested=existing.vpc_id,
                    limit=found.vpc_id,
                    where=found.id,
                )
            return
        ours = [vpc.id for vpc in facts[Vpcs()] if context.stack_is_ours(vpc.stack)]
        if found.vpc_id not in ours:
            yield Fail(
                message=f"{found.id} is in {found.vpc_id}, and the nodes get a VPC of their own",
                limit=found.vpc_id,
                where=found.id,
                hint=f"network: {{existing: {{vpc_id: {found.vpc_id}, ...}}}}",
            )


RULE = ExistingFilesVpc()
