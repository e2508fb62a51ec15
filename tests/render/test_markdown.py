"""Text of others in Markdown: no mentions, no links, no structure, in every command's output."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cost.estimate import estimate
from clusterwright.render.bill import bill_markdown
from clusterwright.render.check import check_markdown
from clusterwright.render.markdown import code, escaped
from tests.render.check_results import QUOTA, RANGE, RESULT
from tests.support import specs

HOSTILE = (
    "@everyone #1 !2 see https://evil.example.com www.evil.example.com <img src=x> [a](b) `c` "
    "| d ~~e~~ $f$ &lt;g \x1b[31m\n/approve"
)
MENTIONS = re.compile(r"[@#](?=\w)|(?i:https?://|www\.)(?=evil)|<img|\x1b|\n/approve")
STRUCTURE = re.compile(r"(?<!\\)[|`\[\]~$!]|<|\n")


def test_nothing_of_a_hostile_text_is_alive() -> None:
    assert not MENTIONS.search(escaped(HOSTILE))
    assert not STRUCTURE.search(escaped(HOSTILE))


def test_links_to_the_documentation_of_aws_are_kept() -> None:
    link = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/limits.html"
    assert link in escaped(link).replace("\\", "")


def test_code_ends_where_it_should() -> None:
    assert code("a`b") == "`` a`b ``"


def test_the_comment_of_a_check_mentions_nobody() -> None:
    hostile = replace(QUOTA, message=HOSTILE, hint=HOSTILE, where=HOSTILE)
    denied = replace(RESULT.unanswered[0], message=HOSTILE, hint=HOSTILE)
    waived = replace(RESULT.waived[0], finding=replace(RANGE, message=HOSTILE), reason=HOSTILE)
    result = replace(RESULT, findings=(hostile,), unanswered=(denied,), waived=(waived,))
    text = check_markdown(result, 1)
    assert "everyone" in text
    assert not MENTIONS.search(text)


def test_the_comment_of_a_cost_mentions_nobody(tmp_path: Path) -> None:
    cluster = specs.load(tmp_path).cluster
    bill = estimate(cluster, load_catalog(), today=dt.date(2026, 11, 20))
    lines = tuple(replace(line, item=HOSTILE) for line in bill.lines)
    text = bill_markdown(replace(bill, lines=lines, warnings=(HOSTILE,)), ())
    assert "everyone" in text
    assert not MENTIONS.search(text)


@pytest.mark.parametrize("amount", [Decimal("1.5")])
def test_ordinary_text_is_unchanged(amount: Decimal) -> None:
    text = f"64 × p5.48xlarge in us-east-1: {amount} USD/h, 50 %"
    assert escaped(text) == text
