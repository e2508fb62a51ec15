"""Tests of CW-S042."""

from __future__ import annotations

from clusterwright.preflight.facts.buckets import RequesterPays
from tests.preflight.harness import Harness
from tests.preflight.rules.support.access import LINK, LINKED, PLACE
from tests.support import specs

PAYS = RequesterPays("acme-corpus")


def test_requester_pays_bucket_of_another_account_is_reported(rule: Harness) -> None:
    finding = rule.fails(
        "CW-S042",
        LINKED,
        {PAYS: True},
        path=PLACE,
        message="acme-corpus is a Requester Pays bucket of another account",
        severity="warning",
    )
    assert finding.hint is not None
    assert "--request-payer requester" in finding.hint


def test_other_and_missing_buckets_pass(rule: Harness) -> None:
    rule.passes("CW-S042", LINKED, {PAYS: False})
    rule.passes("CW-S042", LINKED, {PAYS: None})


def test_new_bucket_is_not_asked_for(rule: Harness) -> None:
    link = {**LINK, "create": True}
    changes = {"storage.lustre": [{**specs.LUSTRE, "repositories": [link]}]}
    rule.passes("CW-S042", changes, tested=False)
