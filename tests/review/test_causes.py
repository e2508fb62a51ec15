"""Resources grouped by the change that causes theirs."""

from __future__ import annotations

from typing import Any

from clusterwright.review.causes import causes
from clusterwright.review.results import ResourceChange
from tests.review.templates import analysis, app, export, resource, stack


def network(cidr: str, **more: Any) -> dict[str, Any]:
    return stack(
        {
            "Vpc": resource("AWS::EC2::VPC", CidrBlock=cidr),
            "Subnet": resource("AWS::EC2::Subnet", VpcId={"Ref": "Vpc"}, CidrBlock="10.0.1.0/24"),
            "Topic": resource("AWS::SNS::Topic", **more),
        },
        Outputs={"S": export("subnet", {"Ref": "Subnet"})},
    )


STORAGE = stack(
    {
        "Fs": resource(
            "AWS::FSx::FileSystem",
            FileSystemType="LUSTRE",
            SubnetIds=[{"Fn::ImportValue": "subnet"}],
        )
    }
)


def test_consequences_follow_their_cause_across_stacks() -> None:
    found = analysis(
        app(n=network("10.0.0.0/16"), s=STORAGE),
        app(n=network("10.9.0.0/16", DisplayName="x"), s=STORAGE),
    )
    follows = {change.name: change.follows for change in found.changes}
    assert follows == {
        "n/Vpc": (),
        "n/Subnet": ("n/Vpc",),
        "s/Fs": ("n/Subnet",),
        "n/Topic": (),
    }
    first, second = causes(found.changes)
    assert [c.name for c in first.own] == ["n/Vpc"]
    assert {c.name for c in first.consequences} == {"n/Subnet", "s/Fs"}
    assert [c.name for c in second.resources] == ["n/Topic"]


def change(name: str, **more: Any) -> ResourceChange:
    given = {"effect": "update", "action": "update", "reasons": ("Tags changes",), **more}
    return ResourceChange(stack="a", logical_id=name, type="AWS::SNS::Topic", **given)


def test_one_reason_of_many_resources_is_one_cause() -> None:
    one, two = change("A"), change("B")
    other = change("C", reasons=("Name changes",))
    assert [[c.name for c in cause.own] for cause in causes([one, two, other])] == [
        ["a/A", "a/B"],
        ["a/C"],
    ]


def test_resources_that_end_are_causes_of_their_own() -> None:
    ending = [change(name, effect="delete", action="delete") for name in "AB"]
    assert len(causes(ending)) == 2


def test_worst_cause_has_the_consequence() -> None:
    mild, severe = change("A"), change("B", effect="replace", action="replace")
    both = change("C", follows=("a/A", "a/B"))
    worst, other = causes([mild, severe, both])
    assert ([c.name for c in worst.consequences], other.consequences) == (["a/C"], ())


def test_resources_that_follow_each_other_are_not_lost() -> None:
    found = causes([change("A", follows=("a/B",)), change("B", follows=("a/A",))])
    assert sorted(c.name for cause in found for c in cause.resources) == ["a/A", "a/B"]


def test_nothing_has_no_cause() -> None:
    assert causes([]) == ()
