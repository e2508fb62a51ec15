"""The verdict as text and as JSON, held to the contract."""

from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

from clusterwright.render.style import Style
from clusterwright_rehearsal.report import text as render
from packages.rehearsal.tests.report import verdicts


def test_text(snapshot: SnapshotAssertion) -> None:
    assert render.verdict_text(verdicts.BROKEN) == snapshot


def test_control_characters_of_nodes_are_escaped() -> None:
    text = render.verdict_text(verdicts.hostile())
    assert "\x1b" not in text
    assert "\x00" not in text
    assert "\u202e" not in text


def test_status_is_coloured_on_a_terminal() -> None:
    painted = render.verdict_text(verdicts.BROKEN, Style(colour=True))
    assert "\x1b[1;31mfailed" in painted
    assert "\x1b" not in render.verdict_text(verdicts.BROKEN)
