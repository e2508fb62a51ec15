"""Positions of statements in the text of a policy."""

from __future__ import annotations

from clusterwright_localaws.iam.positions import Position, statement_spans


def test_statement_positions_match_the_example_of_aws() -> None:
    """The CLI's page on simulate-custom-policy: line 1, columns 38 to 167."""
    text = (
        '{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"dynamodb:*",'
        '"Resource":"*","Condition":{"DateGreaterThan":{"aws:CurrentTime":'
        '"2018-08-16T12:00:00Z"}}}}'
    )
    assert statement_spans(text) == [(Position(1, 38), Position(1, 167))]


def test_statement_positions_span_lines() -> None:
    text = '{\n "Statement": [\n  {"Effect": "Allow",\n   "Sid": "}"\n  },\n  {}\n ]\n}'
    assert statement_spans(text) == [
        (Position(3, 4), Position(5, 4)),
        (Position(6, 4), Position(6, 5)),
    ]
