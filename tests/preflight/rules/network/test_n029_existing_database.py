"""Tests of CW-N029."""

from __future__ import annotations

from clusterwright.aws.ec2.vpc import Permission
from tests.preflight.existing_storage import SUBNET
from tests.preflight.harness import Harness
from tests.preflight.rules.support.existing_file_systems import (
    DB_PATH,
    LUSTRE_PORTS,
    NODES,
    PLAIN,
    WITH_DATABASE,
    by_list,
    database_facts,
    facts,
    tcp,
)


def test_database_without_access_for_nodes_is_reported(rule: Harness) -> None:
    closed = "slurm has sg-0db, which does not allow TCP 3306 from the nodes"
    for inbound in (
        (),
        (tcp(3306, 3306, "sg-0another"),),
        (tcp(3307, 3400, NODES),),
        (tcp(3306, 3306, cidrs=("192.168.0.0/16",)),),
    ):
        facts_ = database_facts(*inbound)
        rule.fails("CW-N029", WITH_DATABASE, facts_, path=DB_PATH, message=closed)
    for inbound in (
        (tcp(3306, 3306, NODES),),
        (Permission("-1", None, None, frozenset([NODES]), frozenset()),),
        (tcp(3300, 3310, cidrs=(SUBNET.cidr,)),),
    ):
        rule.passes("CW-N029", WITH_DATABASE, database_facts(*inbound))


def test_unknown_prefix_list_is_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-N029",
        WITH_DATABASE,
        database_facts(by_list(3306, 3306)),
        path=DB_PATH,
        message="whether slurm allows TCP 3306 from the nodes",
    )
    both = (by_list(3306, 3306), tcp(3306, 3306, NODES))
    rule.passes("CW-N029", WITH_DATABASE, database_facts(*both))
    closed = database_facts(by_list(5432, 5432))
    rule.fails("CW-N029", WITH_DATABASE, closed, path=DB_PATH, message="does not allow TCP 3306")
    found = rule.run("CW-S023", PLAIN, facts(inbound=(by_list(988, 988), LUSTRE_PORTS[1])))
    assert found.rule.status == "unknown"
    assert "allows TCP 988 between its members" in found.unanswered[0].message


def test_database_port_is_checked(rule: Harness) -> None:
    rule.fails(
        "CW-N029",
        WITH_DATABASE,
        database_facts(tcp(3307, 3307, NODES), port=3307),
        path="slurm.accounting.existing.port",
        message="slurm listens on port 3307, not on 3306",
        numbers=(3306, None, 3307),
    )


def test_unknown_database_is_unknown(rule: Harness) -> None:
    other = database_facts(tcp(3306, 3306, NODES), address="other.example")
    message = "no DB instance of the account has this address"
    rule.unsure("CW-N029", WITH_DATABASE, other, path=DB_PATH, message=message)
    # An external database unknown to RDS is skipped, as is one before its network exists.
    own = {**WITH_DATABASE, "slurm.accounting.existing.endpoint": "db.acme.example"}
    rule.passes("CW-N029", own, other)
    built = {"slurm.accounting": WITH_DATABASE["slurm.accounting"]}
    rule.passes("CW-N029", built, tested=False)
