"""Tests of iam.document_kinds."""

from __future__ import annotations

from clusterwright_localaws.iam.document_kinds import BUCKET, KEY
from clusterwright_localaws.iam.policy import MalformedPolicy, Problem


def test_a_refusal_quotes_the_part_that_is_wrong() -> None:
    error = BUCKET.refusal(MalformedPolicy("some reason", Problem.EFFECT, "Maybe"))
    assert (error.code, error.message) == ("MalformedPolicy", "Invalid effect: Maybe")
    error = KEY.refusal(MalformedPolicy("some reason", Problem.JSON))
    assert (error.code, error.message) == ("MalformedPolicyDocumentException", "some reason")


def test_a_problem_may_have_a_code_of_its_own() -> None:
    assert KEY.refusal(MalformedPolicy("", Problem.SIZE)).code == "LimitExceededException"
