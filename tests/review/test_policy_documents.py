"""Policy documents that mean the same, and those that differ."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.review.physical_values import UNRESOLVED
from clusterwright.review.policy_documents import differing_statements, has_unresolved


def document(*statements: dict[str, Any]) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": list(statements)}


def statement(**elements: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*", **elements}


@pytest.mark.parametrize(
    ("declared", "found"),
    [
        (statement(Action=["s3:GetObject"]), statement(Action="s3:getobject")),
        (statement(Resource=["a", "b"]), statement(Resource=["b", "a"])),
        (statement(Principal="*"), statement(Principal={"AWS": "*"})),
        (
            statement(Principal={"AWS": "111122223333"}),
            statement(Principal={"AWS": "arn:aws:iam::111122223333:root"}),
        ),
        (
            statement(Condition={"Bool": {"aws:SecureTransport": "false"}}),
            statement(Condition={"Bool": {"aws:SecureTransport": [False]}}),
        ),
        (statement(Resource=["a", UNRESOLVED]), statement(Resource=["a", "b"])),
        (statement(Resource=UNRESOLVED), statement(Resource="b")),
    ],
)
def test_the_same(declared: dict[str, Any], found: dict[str, Any]) -> None:
    assert differing_statements(document(declared), document(found)) == ([], [])
    assert differing_statements({"Statement": declared}, document(found)) == ([], [])


@pytest.mark.parametrize(
    "found",
    [
        statement(Effect="Deny"),
        statement(Action=["s3:GetObject", "s3:PutObject"]),
        statement(Resource="arn:aws:s3:::a/*"),
        statement(Condition={"Bool": {"aws:SecureTransport": "true"}}),
        {"Effect": "Allow", "NotAction": "s3:GetObject", "Resource": "*"},
    ],
)
def test_a_statement_that_differs(found: dict[str, Any]) -> None:
    missing, added = differing_statements(document(statement()), document(found))
    assert missing == ['{"Action": "s3:GetObject", "Effect": "Allow", "Resource": "*"}']
    assert len(added) == 1


def test_statements_have_no_order_and_each_is_found_once() -> None:
    read, write = statement(), statement(Action="s3:PutObject")
    assert differing_statements(document(read, write), document(write, read)) == ([], [])
    assert len(differing_statements(document(read), document(read, write))[1]) == 1
    assert len(differing_statements(document(read), document(read, read))[1]) == 1


def test_an_unknown_value_does_not_take_the_place_of_a_known_one() -> None:
    declared = document(statement(Resource=UNRESOLVED), statement(Resource="a"))
    assert differing_statements(declared, document(*map(_of, "ab"))) == ([], [])
    assert has_unresolved(declared)
    assert not has_unresolved(document(statement()))
    missing, _ = differing_statements(declared, document(_of("a")))
    assert "only CloudFormation knows" in missing[0]


def _of(resource: str) -> dict[str, Any]:
    return statement(Resource=resource)


def test_more_values_than_are_declared() -> None:
    declared, found = statement(Resource=["a", UNRESOLVED]), statement(Resource=["a", "b", "c"])
    assert len(differing_statements(document(declared), document(found))[0]) == 1
