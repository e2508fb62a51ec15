"""Policy variables, and the patterns that they fill."""

from __future__ import annotations

import pytest

from clusterwright_localaws.iam.context import RequestContext
from clusterwright_localaws.iam.variables import filled, variables_of
from clusterwright_localaws.iam.wildcards import ANY, pattern_of
from packages.localaws.tests.iam.holding import has, holds

CONTEXT = RequestContext({"aws:username": "ann", "aws:TagKeys": ("a", "b")})


class TestVariables:
    """https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html"""

    def test_context_value_is_not_a_pattern(self) -> None:
        assert not holds("StringLike", "${aws:user}/x", {**has("ann/x"), "aws:user": "*"})

    def test_escaped_wildcards_are_literal(self) -> None:
        assert holds("StringLike", "a${*}b", has("a*b"))
        assert not holds("StringLike", "a${*}b", has("axb"))
        assert holds("StringLike", "${$}{x}", has("${x}"))

    def test_default_of_a_policy_variable_is_used(self) -> None:
        assert holds("StringEquals", "${aws:PrincipalTag/team, 'none'}", has("none"))
        tagged = {**has("red"), "aws:PrincipalTag/team": "red"}
        assert holds("StringEquals", "${aws:PrincipalTag/team, 'none'}", tagged)

    def test_undefined_policy_variable_matches_nothing(self) -> None:
        assert not holds("StringEquals", "${aws:username}", has("${aws:username}"))
        assert holds("StringNotEquals", "${aws:username}", has("ann"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("home/${aws:username}/*", ("home/", "ann", "/", ANY)),
        ("${ aws:username , 'nobody' }", ("ann",)),
        ("${aws:none, 'nobody'}", ("nobody",)),
        ("${aws:none, ''}", ("",)),
        ("${*}", ("*",)),
        ("${aws:none}", None),
        ("${aws:TagKeys}", None),
        ("${aws:TagKeys, 'one'}", None),
        ("plain", ("plain",)),
    ],
)
def test_a_text_filled_from_a_request(text: str, expected: tuple[object, ...] | None) -> None:
    assert filled(text, CONTEXT, enabled=True) == expected


def test_an_old_version_has_no_variables() -> None:
    assert filled("${aws:username}/*", CONTEXT, enabled=False) == pattern_of("${aws:username}/*")


def test_the_keys_that_a_text_names() -> None:
    text = "${aws:username}/${*}${aws:PrincipalTag/team, 'none'}/${"
    assert variables_of(text) == ["aws:username", "aws:PrincipalTag/team"]
    assert variables_of("arn:aws:s3:::b/*") == []
