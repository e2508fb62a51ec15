"""Tests of services.logs.filter_patterns."""

from __future__ import annotations

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.logs.filter_patterns import check_pattern

INVALID = "Invalid filter pattern"


def refused(pattern: str) -> tuple[str, str]:
    """The code and the message of a refusal; empty for a pattern that is taken."""
    try:
        check_pattern(pattern)
    except AwsError as error:
        return error.code, error.message
    return "", ""


@pytest.mark.parametrize(
    "pattern",
    [
        # The examples of the guide.
        *("", "ERROR", "ERROR ARGUMENTS", "?ERROR ?ARGUMENTS", '"INTERNAL SERVER ERROR"'),
        *("ERROR -ARGUMENTS", '" "', '{ $.eventType = "UpdateTrail" }', "%AUTHORIZED%"),
        *("{ $.bandwidth > 75 }", "{ $.errorCode = 400}", "{ $.number[0] = 1e-3 }"),
        *("{ $.number[0] != 1e+3 }", "{ $.sourceIPAddress != 123.123.* }", "{ $.latency = * }"),
        *("{ $.SomeObject IS NULL }", "{ $.SomeOtherObject NOT EXISTS }"),
        *('{ ($.user.id = 1) && ($.users[0].email = "John.Doe@example.com") }', "%10\\.10\\.0%"),
        '{ ($.a = "x" || $.b[0][1] = "y") && $.c[2] = "z" }',
        "{ $.a = %[4-5]{3}% }",
        "[ip, user, username, timestamp, request =*.html*, status_code = 4*, bytes]",
        "[..., request =*.html*, status_code = 404 || status_code = 410, bytes]",
        "[w1=ERROR || W1=WARNING, w2]",
        "[w1!=ERROR && w1!=WARNING, w2]",
        '[w1 != "a = 1 && b = 2", w2]',
        # Others.
        *('?"a: b" ?c', "100% done", "a-b_c.d/e", "{ $.detail-type = x }", "[]", "{}"),
        "{ $.['a b'] = 1 }",
        "{ " + "(" * 200 + "$.a = 1" + ")" * 200 + " }",
    ],
)
def test_patterns_that_are_taken(pattern: str) -> None:
    assert refused(pattern) == ("", "")


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("?Status: timeout", "Invalid character(s) in term ':'"),
        ("a,b", "Invalid character(s) in term ','"),
        ("script(done)", "Invalid character(s) in term '('"),
        ('retrieved[ "x"', "Invalid character(s) in term '['"),
        ("level\\x", "Invalid character(s) in term '\\'"),
        ("%a(b)%", "Invalid character(s) in term '('"),
        ("%something!%", "Invalid character(s) in term '!'"),
        ('{ $."detail-type" = "x" }', "Invalid character(s) in term '$.\"'"),
        ("{ $.a = %(x)% }", "Invalid character(s) in term '('"),
        ("{", INVALID),
        ("{ $.a = 1", INVALID),
        ("[a, b", INVALID),
        ('"open', INVALID),
        ('{ status = "401" }', INVALID),
        ("{ $.a }", INVALID),
        ("{ $.a = }", INVALID),
        ("{ $.a = 1 && }", INVALID),
        ("{ ($.a = 1 }", INVALID),
        ("{ $.a = 1) }", INVALID),
        ("{ $.a EXISTS }", INVALID),
        ("{ $.a IS NOT NULL }", INVALID),
        ('{ $.a = "open }', INVALID),
        ("[ip, status_code = 4* && bytes > 1000]", INVALID),
    ],
)
def test_patterns_that_are_refused(pattern: str, message: str) -> None:
    assert refused(pattern) == ("InvalidParameterException", message)
