"""Policy documents as the grammar accepts and refuses them."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.iam.conditions import Condition
from clusterwright_localaws.iam.policy import MalformedPolicy, Principals, read_policy
from packages.localaws.tests.iam.conftest import allow


def test_a_statement_is_read_with_its_lists_and_conditions() -> None:
    found = read_policy(
        {
            "Version": "2012-10-17",
            "Statement": {
                "Sid": "One",
                "Effect": "Deny",
                "NotPrincipal": {"AWS": "111122223333", "Service": ["a.amazonaws.com"]},
                "NotAction": "s3:Get*",
                "NotResource": ["arn:aws:s3:::b"],
                "Condition": {"ForAnyValue:NumericLessThanIfExists": {"a:b": [3, True, "x"]}},
            },
        },
        name="own",
        kind="role",
    )
    assert (found.name, found.kind, found.version) == ("own", "role", "2012-10-17")
    (statement,) = found.statements
    assert (statement.sid, statement.effect) == ("One", "Deny")
    assert (statement.actions, statement.not_actions) == (None, ("s3:Get*",))
    assert (statement.resources, statement.not_resources) == (None, ("arn:aws:s3:::b",))
    assert statement.not_principal == Principals(
        named=(("AWS", ("111122223333",)), ("Service", ("a.amazonaws.com",)))
    )
    (condition,) = statement.conditions
    assert isinstance(condition, Condition)
    assert (condition.key, condition.values) == ("a:b", ("3", "true", "x"))


def test_variables_came_with_the_version_of_2012() -> None:
    assert read_policy({"Version": "2012-10-17", "Statement": []}).has_variables
    assert not read_policy({"Statement": []}).has_variables


def test_everybody_is_a_principal() -> None:
    policy = read_policy({"Statement": [allow("sts:AssumeRole", Principal="*")]})
    assert policy.statements[0].principal == Principals(everybody=True)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("x", "a statement is not an object"),
        ({**allow("s3:*"), "Condition": []}, "Condition must be an object"),
        ({**allow("s3:*"), "Condition": {"Bool": 1}}, "Bool must be an object"),
        ({**allow("s3:*"), "Condition": {"Bool": {"a:b": None}}}, "value must be text"),
        ({**allow("s3:*"), "Principal": {"Aws": "*"}}, "Invalid principal in policy: Aws"),
    ],
)
def test_a_malformed_statement(statement: object, words: str) -> None:
    with pytest.raises(MalformedPolicy, match=words):
        read_policy({"Statement": [statement]})


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("{", "Syntax errors"),
        ("[]", "Syntax errors"),
        ({"Version": "2020-01-01", "Statement": []}, "valid version"),
        ({"Statement": [{"Effect": "Allow", "Resource": "*"}]}, "contain actions"),
        ({"Statement": [{**allow("s3:GetObject"), "Effect": "Maybe"}]}, "Effect"),
        ({"Statement": [{**allow("s3:GetObject"), "Efect": "Deny"}]}, "Efect"),
        ({"Statement": [allow("GetObject")]}, "vendor"),
        (
            {"Statement": [allow("s3:GetObject", Condition={"StringIs": {"a:b": "c"}})]},
            "Condition type",
        ),
        ({"Statement": [allow("s3:GetObject", NotResource="*")]}, "both"),
        ({"Statement": [allow("s3:GetObject", Principal="ann")]}, "principal"),
        ({"Statement": [allow(3)]}, "Action"),
        ({"Statement": 1}, "Statement"),
    ],
)
def test_what_is_no_policy(document: Any, words: str) -> None:
    with pytest.raises(MalformedPolicy, match=words):
        read_policy(document)
