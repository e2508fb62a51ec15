"""docs/explanations/what-is-built.md agrees with the templates."""

from __future__ import annotations

import re

from tests.support.rich_specs import FULL
from tests.support.synthesis import ROOT, Build

PAGE = (ROOT / "docs" / "explanations" / "what-is-built.md").read_text(encoding="utf-8")


def test_every_stack_has_a_row_and_a_section(build: Build) -> None:
    parts = {name.removeprefix("test-") for name in build(FULL).templates}
    table = PAGE.split("## protection")[0]
    assert {m[1] for m in re.finditer(r"^\| `(\w+)` \|", table, re.MULTILINE)} == parts
    sections = {m[1] for m in re.finditer(r"^## (\w+)$", PAGE, re.MULTILINE)}
    assert parts <= sections


def test_every_output_is_documented(build: Build) -> None:
    for name in build(FULL).templates["test-cluster"]["Outputs"]:
        assert f"`{name.rstrip('0123456789')}`" in PAGE


def test_linked_files_exist() -> None:
    for link in re.findall(r"\]\(([^)#]+\.md)\)", PAGE):
        assert (ROOT / "docs" / "explanations" / link).resolve().is_file(), link
    for path in re.findall(r"`((?:clusterwright|stacks)/[\w/.]+\.py)`", PAGE):
        assert (ROOT / path).is_file(), path
