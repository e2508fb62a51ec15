"""The journal of steps and actions that a run began."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from clusterwright_node.journal import JOURNAL

from tests.nodes.world import World


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema_version": 9}', '{"schema_version": 1}'])
def test_invalid_journal_is_reported_and_reset(world: Callable[..., World], text: str) -> None:
    node = world("workers-1")
    journal = node.root / JOURNAL.lstrip("/")
    journal.parent.mkdir(parents=True)
    journal.write_text(text)
    run = node.run()
    assert run.code == 0
    assert f"{JOURNAL} is not valid: discarded" in run.notices()
    assert node.journal()["step"] is None
