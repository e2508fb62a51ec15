"""Tests of CW-I023."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.aws.ec2.account_settings import AllowedImages as Setting
from clusterwright.aws.ec2.account_settings import ImageCriterion
from clusterwright.aws.ec2.images import Image
from clusterwright.preflight.facts.account_settings import AllowedImages
from clusterwright.preflight.facts.deployment import MachineImage
from tests.preflight.harness import Harness
from tests.preflight.rules.support.access import ACCOUNT

OTHER = "222233334444"
ON_EC2 = {"platform": "parallelcluster"}
CUSTOM = {**ON_EC2, "image": {"image_id": "ami-00000001"}}


def criterion(*providers: str, names: tuple[str, ...] = (), others: tuple[str, ...] = ()) -> Any:
    return ImageCriterion(providers, names, others)


def setting(*criteria: Any, state: str = "enabled", managed_by: str = "account") -> dict[Any, Any]:
    return {AllowedImages(): Setting(state, criteria, managed_by)}


def image(owner: str) -> dict[Any, Any]:
    found = Image("ami-00000001", "available", "x86_64", owner, "base-2026")
    return {MachineImage("ami-00000001"): found}


def test_images_of_the_platform_are_owned_by_amazon(rule: Harness) -> None:
    rule.passes("CW-I023", ON_EC2, setting(state="disabled"))
    rule.passes("CW-I023", ON_EC2, setting(criterion(OTHER), state="audit-mode"))
    rule.passes("CW-I023", ON_EC2, setting(criterion(OTHER), criterion("amazon")))
    finding = rule.fails(
        "CW-I023",
        ON_EC2,
        setting(criterion(OTHER)),
        path="platform",
        message="the images of parallelcluster, which Amazon owns, are not among the account's "
        f"Allowed AMIs, whose providers are {OTHER}",
        severity="error",
    )
    assert finding.hint is not None
    assert "replace-image-criteria" in finding.hint
    finding = rule.fails("CW-I023", ON_EC2, setting(managed_by="declarative-policy"),
                         path="platform", message="whose providers are none")  # fmt: skip
    assert finding.hint is not None
    assert finding.hint.startswith("a declarative policy of the organization")


def test_own_images_are_always_allowed(rule: Harness) -> None:
    rule.passes("CW-I023", CUSTOM, {**setting(criterion(OTHER)), **image(ACCOUNT)})


def test_image_of_another_account_needs_its_provider(rule: Harness) -> None:
    rule.passes("CW-I023", CUSTOM, {**setting(criterion(OTHER)), **image(OTHER)})
    rule.fails(
        "CW-I023",
        CUSTOM,
        {**setting(criterion("333344445555")), **image(OTHER)},
        path="image.image_id",
        message="the image ami-00000001 is not among",
    )
    hidden = {**setting(criterion(OTHER)), MachineImage("ami-00000001"): None}
    rule.fails("CW-I023", CUSTOM, hidden, path="image.image_id",
               message="and EC2 does not show it to the account")  # fmt: skip


@pytest.mark.parametrize(("names", "allowed"), [(("base-*",), True), (("golden-*",), False)])
def test_names_of_images_are_compared(
    rule: Harness, names: tuple[str, ...], allowed: bool
) -> None:
    facts = {**setting(criterion(OTHER, names=names)), **image(OTHER)}
    if allowed:
        rule.passes("CW-I023", CUSTOM, facts)
    else:
        rule.fails("CW-I023", CUSTOM, facts, path="image.image_id", message="not among")


@pytest.mark.parametrize(
    "one", [criterion("amazon", names=("x-*",)), criterion("amazon", others=("CreationDate",))]
)
def test_criteria_that_are_not_read_are_unknown(rule: Harness, one: Any) -> None:
    rule.unsure("CW-I023", ON_EC2, setting(one), path="platform", message="names or dates")
    rule.unsure("CW-I023", CUSTOM, {**setting(criterion("amazon")), **image("099720109477")},
                path="image.image_id", message="names or dates")  # fmt: skip


def test_hyperpod_launches_nodes_in_another_account(rule: Harness) -> None:
    rule.passes("CW-I023", {}, tested=False)
