from __future__ import annotations

import pytest

from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.template_text import parse_text


def test_json_and_yaml_parse_to_the_same_data() -> None:
    text = '{"Resources": {"A": {"Type": "T", "Properties": {"N": 1, "B": true, "S": "x"}}}}'
    assert parse_text(text) == parse_text(
        "Resources:\n  A:\n    Type: T\n    Properties: {N: 1, B: true, S: x}\n"
    )


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("!Ref A", {"Ref": "A"}),
        ("!Condition C", {"Condition": "C"}),
        ("!GetAtt A.B", {"Fn::GetAtt": ["A", "B"]}),
        ("!GetAtt A.B.C", {"Fn::GetAtt": ["A", "B.C"]}),
        ("!GetAtt [A, B]", {"Fn::GetAtt": ["A", "B"]}),
        ('!Sub "${A}-x"', {"Fn::Sub": "${A}-x"}),
        ('!Join [",", [a, !Ref B]]', {"Fn::Join": [",", ["a", {"Ref": "B"}]]}),
        ("!If [c, 1, !Ref 'AWS::NoValue']", {"Fn::If": ["c", 1, {"Ref": "AWS::NoValue"}]}),
        ("!ImportValue x", {"Fn::ImportValue": "x"}),
        ("!GetAZs ''", {"Fn::GetAZs": ""}),
        ("!FindInMap [M, !Ref K, v]", {"Fn::FindInMap": ["M", {"Ref": "K"}, "v"]}),
        ("!Base64 {'Fn::Sub': x}", {"Fn::Base64": {"Fn::Sub": "x"}}),
    ],
)
def test_short_forms_of_functions_are_parsed(short: str, long: object) -> None:
    assert parse_text(f"X: {short}\n") == {"X": long}


def test_date_is_parsed_as_text() -> None:
    assert parse_text("AWSTemplateFormatVersion: 2010-09-09\n") == {
        "AWSTemplateFormatVersion": "2010-09-09"
    }


def test_numeric_key_is_kept_as_text() -> None:
    assert parse_text("M: {012345678901: {a: 1}}\n") == {"M": {"012345678901": {"a": 1}}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "unsupported structure"),
        ("[]", "unsupported structure"),
        ("just text", "unsupported structure"),
        ('{"a": ', r"JSON not well-formed. \(line 1, column 7\)"),
        ("a: [", r"YAML not well-formed. \(line 1, column 5\)"),
        ("a: 1\na: 2\n", r"YAML not well-formed. \(line 2, column 1\)"),
        ("a: !Nope x\n", "YAML not well-formed"),
        ("a: !!python/object/apply:os.system [ls]\n", "YAML not well-formed"),
    ],
)
def test_parse_errors_have_a_position(text: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        parse_text(text)


def test_aliases_are_refused() -> None:
    # https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-formats.html
    bomb = "a0: &a0 [x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 40)
    )
    for text in (bomb, "A: &a {b: 1}\nC: *a\n", "A: &a {b: 1}\nC: {<<: *a}\n"):
        with pytest.raises(ValidationError, match="YAML aliases are not allowed"):
            parse_text(text)
    assert parse_text("A: &a {b: 1}\n") == {"A": {"b": 1}}
