"""Colour on terminals."""

from __future__ import annotations

import io

import pytest

from clusterwright.cluster_spec.problems import Position, Problem
from clusterwright.render.problems import problems_text
from clusterwright.render.style import Style

COUNT = Position("configs/prod.yaml", 22, 12, 2, "    count: 64")


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "coloured"),
    [
        (_Terminal(), {}, True),
        (_Terminal(), {"NO_COLOR": "1"}, False),
        (_Terminal(), {"NO_COLOR": ""}, True),
        (_Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
    ],
)
def test_colour_depends_on_the_terminal(
    stream: io.StringIO, environment: dict[str, str], coloured: bool
) -> None:
    style = Style.of(stream, environment)
    text = problems_text([Problem("m", position=COUNT)], style)
    assert ("\x1b[" in text) is coloured
