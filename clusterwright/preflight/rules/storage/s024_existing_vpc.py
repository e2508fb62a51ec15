"""Existing file systems are in the nodes' VPC."""

from __future__ import annotations

from clusterwright.preflight.facts.network import Vpcs
from clusterwright.preflight.facts.storage import FileSystems
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.storage.existing_file_systems import (
    ExistingFileSystem,
    existing_file_systems,
    find_file_system,
)


class ExistingFilesVpc(Rule[ExistingFileSystem]):
    id = "CW-S024"
    prevents = "CreateCluster fails: nodes cannot have a security group of another VPC"
    source = (
        "aws/aws-parallelcluster, ExistingFsxNetworking; EC2: a security group belongs to one VPC"
    )

    def subjects(self, context: Context) -> Subjects[ExistingFileSystem]:
        return existing_file_systems(context)

    def needs(self, context: Context) -> Facts:
        built = context.cluster.network.existing is None
        return (FileSystems(), Vpcs()) if built else (FileSystems(),)

    def check(self, files: ExistingFileSystem, context: Context, facts: FactValues) -> Results:
        found = find_file_system(facts[FileSystems()], files)
        if found is None or found.vpc_id is None:
            return  # CW-S014 and CW-S022 report it
        existing = context.cluster.network.existing
        if existing is not None:
            if found.vpc_id != existing.vpc_id:
                yield Fail(
                    message=f"{found.id} is in {found.vpc_id}, the nodes are in {existing.vpc_id}",
                    requested=existing.vpc_id,
                    limit=found.vpc_id,
                    where=found.id,
                )
            return
        ours = [vpc.id for vpc in facts[Vpcs()] if context.stack_is_ours(vpc.stack)]
        if found.vpc_id not in ours:
            yield Fail(
                message=f"{found.id} is in {found.vpc_id}, and the stacks create a new VPC for "
                "the nodes",
                limit=found.vpc_id,
                where=found.id,
                hint=f"network: {{existing: {{vpc_id: {found.vpc_id}, ...}}}}",
            )
