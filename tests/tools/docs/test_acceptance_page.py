"""The page of the acceptance checks and their floors."""

from __future__ import annotations

from tools.docs.acceptance_checks import table
from tools.docs.acceptance_page import page


def test_every_check_and_every_source_is_on_the_page() -> None:
    text = page()
    for check in table()["checks"]:
        assert f"| `{check['id']}` | {check['about']} |" in text
    assert "crazyguitar/aws-gpu-communication-benchmark" in text
    assert "| 1024 | 435 | 280 | 274 | 269 | 220 |" in text
    assert "p5e.48xlarge is compared as p5.48xlarge" in text
