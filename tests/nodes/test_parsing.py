"""Text is JSON or a problem."""

from __future__ import annotations

import json

from clusterwright_node.parsing import parse_json
from hypothesis import given
from hypothesis import strategies as st


@given(st.text(max_size=40))
def test_any_text_is_json_or_a_problem(text: str) -> None:
    problems: list[str] = []
    value = parse_json(text, "x", problems)
    if not problems:
        assert json.loads(text) == value
