"""The existing accounting database accepts connections from the controller."""

from __future__ import annotations

from clusterwright.cluster_spec.models.slurm import ExistingDatabase
from clusterwright.preflight.facts.counts import Databases
from clusterwright.preflight.facts.network import SecurityGroups, Subnets
from clusterwright.preflight.rule import (
    Context,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
    Unknown,
)
from clusterwright.preflight.rules.network.egress import allows_traffic

_RDS = ".rds.amazonaws.com"


class ExistingDatabaseAccess(Rule[ExistingDatabase]):
    """Checked if the network exists too: a new network has no rules in the database's groups
    yet.
    """

    id = "CW-N029"
    prevents = "slurmdbd does not start, and the cluster is rolled back after half an hour"
    source = (
        "aws/aws-parallelcluster #6398; RDS user guide, controlling access with security groups"
    )

    def subjects(self, context: Context) -> Subjects[ExistingDatabase]:
        accounting = context.cluster.slurm.accounting
        if accounting.existing is not None and context.cluster.network.existing is not None:
            yield ("slurm", "accounting", "existing", "endpoint"), accounting.existing

    needs = (Databases(), SecurityGroups(), Subnets())

    def check(self, database: ExistingDatabase, context: Context, facts: FactValues) -> Results:
        wanted, network = database, context.cluster.network.existing
        assert network is not None, "see subjects"
        address = wanted.endpoint.lower()
        found = next((d for d in facts[Databases()] if (d.address or "").lower() == address), None)
        if found is None:
            if address.endswith(_RDS):
                yield Unknown(
                    message=f"who can connect to {wanted.endpoint} is unknown: no DB instance of "
                    "the account has this address; an Aurora cluster or another account may",
                    hint=f"make sure that its security group allows TCP {wanted.port} from the "
                    "nodes",
                )
            return
        if found.port is not None and found.port != wanted.port:
            yield Fail(
                message=f"{found.id} listens on port {found.port}, not on {wanted.port}",
                path=("slurm", "accounting", "existing", "port"),
                requested=wanted.port,
                limit=found.port,
                where=found.id,
            )
        groups = [g for g in facts[SecurityGroups()] if g.id in found.security_group_ids]
        port = found.port or wanted.port
        ranges = [s.cidr for s in facts[Subnets()] if s.id in network.subnet_ids]
        rules = [rule for group in groups for rule in group.inbound]
        opened = allows_traffic(rules, port, network.security_group_ids, ranges)
        if opened is None:
            yield Unknown(
                message=f"whether {found.id} allows TCP {port} from the nodes is unknown: its "
                "security groups have rules with prefix lists, whose ranges are not read"
            )
        elif not opened:
            named = ", ".join(found.security_group_ids) or "no security group"
            first = found.security_group_ids[0] if found.security_group_ids else "its group"
            yield Fail(
                message=f"{found.id} has {named}, which does not allow TCP {port} from the nodes",
                where=found.id,
                hint=f"add to {first}: TCP {port}, inbound, source "
                f"{network.security_group_ids[0]}",
            )
