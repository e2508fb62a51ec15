"""Check results as text, JSON and Markdown."""

from __future__ import annotations

import dataclasses

import pytest

from clusterwright.render.check import MAXIMUM_MARKDOWN_CHARACTERS, check_markdown, next_step
from clusterwright.render.check import check_text as text_of
from clusterwright.render.style import Style
from tests.render.check_results import CLEAN, CONTAINERS, RESULT

TEXT = """\
error[CW-Q012]: 64 × ml.p5.48xlarge need 64 of "instances in reserved capacity across training \
plans", 8 are free in us-east-1
  configs/prod.yaml:22:12
   22 |     count: 64
      |            ^^
  requested 64 · used 0 · limit 8 · L-9EF527CA

hint: request 64; allow days to weeks

warning[CW-L002]: whether <b>containers</b> run | or not
  configs/base.yaml:18:23
   18 |   containers: {pyxis: true}
      |                       ^^^^

unknown[CW-B001]: a month costs at least 1.00 USD of 2.00 USD, but 1 line is unknown
  budget

hint: `clusterwright cost` has the lines

unknown: fsx DescribeFileSystems in us-east-1 was denied: this identity lacks \
fsx:DescribeFileSystems

hint: allow fsx:DescribeFileSystems for this identity

2 rules: CW-Q030, CW-Q031

waived[CW-N003]: the cluster needs 2,300 addresses
  widened in January (until 2027-01-31)

1 pass, 1 error, 1 warning, 3 unknown, 1 skipped, 1 waived (1 passed with nothing to \
check, 7 facts read from AWS)
"""


def test_full_text() -> None:
    assert text_of(RESULT) == TEXT


def test_clean_result_is_one_line() -> None:
    assert text_of(CLEAN) == "1 pass, 0 errors, 0 unknown, 0 skipped, 0 waived\n"


def test_colour_changes_no_text() -> None:
    import re

    coloured = text_of(RESULT, Style(colour=True))
    assert "\x1b[1;31merror[CW-Q012]:\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == TEXT


def test_markdown_begins_with_a_verdict_and_folds_details() -> None:
    text = check_markdown(RESULT, 1)
    first, _, third = text.split("\n")[:3]
    assert first == "### Check of prod: **fail**"
    assert third == "1 pass, 1 error, 1 warning, 3 unknown, 1 skipped, 1 waived"
    assert "- **error CW-Q012** `configs/prod.yaml:22` 64 × ml.p5.48xlarge" in text
    assert text.count("<details>") == text.count("</details>") == 2
    assert "<b>containers" not in text


def test_markdown_verdicts() -> None:
    assert "**pass**" in check_markdown(CLEAN, 0)
    assert "**something is unknown**" in check_markdown(CLEAN, 2)
    assert "**internal error**" in check_markdown(CLEAN, 70)


def test_markdown_is_limited_to_the_size_of_a_comment() -> None:
    many = dataclasses.replace(
        RESULT, findings=(CONTAINERS,) * 2000, unanswered=RESULT.unanswered * 500
    )
    text = check_markdown(many, 1)
    assert len(text) <= MAXIMUM_MARKDOWN_CHARACTERS
    assert "The rest is left out" in text
    assert text.count("<details>") == text.count("</details>")


def test_missing_credentials_are_reported_once() -> None:
    entries = tuple(
        dataclasses.replace(
            entry,
            reason="no-credentials",
            operation=f"Op{n}",
            hint="sign in",
            message=f"Title {n}: fsx Op{n} was not called: no usable AWS credentials",
        )
        for n, entry in enumerate(RESULT.unanswered[1:] * 10)
    )
    text = text_of(dataclasses.replace(RESULT, unanswered=entries))
    assert text.count("no usable AWS credentials") == 1


def test_cause_that_many_rules_share_precedes_their_ids() -> None:
    first = next(entry for entry in RESULT.unanswered if entry.reason is not None)
    many = tuple(dataclasses.replace(first, rule=f"CW-Q{n:03}") for n in range(30))
    text = text_of(dataclasses.replace(RESULT, unanswered=many))
    start = text.index("unknown: fsx DescribeFileSystems in us-east-1 was denied")
    assert (
        start
        < text.index("hint: allow fsx:DescribeFileSystems")
        < text.index("30 rules: CW-Q000,")
    )
    ids = text[text.index("30 rules:") :].partition("\n\n")[0]
    assert ids.endswith("CW-Q029")
    assert max(len(line) for line in ids.split("\n")) <= 99


@pytest.mark.parametrize(("count", "words"), [(1, "1 rule: CW-Q000"), (3, "3 rules: CW-Q000,")])
def test_cause_that_few_rules_share_precedes_their_ids(count: int, words: str) -> None:
    first = next(entry for entry in RESULT.unanswered if entry.reason is not None)
    few = tuple(
        dataclasses.replace(
            first,
            rule=f"CW-Q{n:03}",
            reason="no-credentials",
            hint="sign in",
            message=f"Title {n}: no usable AWS credentials",
        )
        for n in range(count)
    )
    text = text_of(dataclasses.replace(RESULT, unanswered=few))
    assert f"unknown: no usable AWS credentials\n\nhint: sign in\n\n{words}" in text


def test_the_last_line_says_what_to_do_next() -> None:
    assert text_of(RESULT, following="deploy").endswith("\nnext: deploy\n")
    good = dataclasses.replace(RESULT, findings=(), unanswered=(), rules=())
    steps = {
        "error": next_step(RESULT, "configs/dev.yaml", offline=False),
        "offline": next_step(good, "configs/dev.yaml", offline=True),
        "named": next_step(good, "configs/dev.yaml", offline=False),
        "file": next_step(good, "other/dev.yaml", offline=False),
    }
    assert steps == {
        "error": "correct the errors, or accept a finding with an entry in `waivers`; check again",
        "offline": "`clusterwright check configs/dev.yaml` with credentials also checks "
        "the account",
        "named": "`clusterwright cost configs/dev.yaml`, then `cdk deploy -c env=dev --all`",
        "file": "`clusterwright cost other/dev.yaml`, "
        "then `cdk deploy -c config=other/dev.yaml --all`",
    }
    entry = next(entry for entry in RESULT.unanswered if entry.reason is not None)
    for reason, begins in (("no-credentials", "sign in to AWS"), ("denied", "answer what is")):
        unknown = (dataclasses.replace(entry, reason=reason),)
        found = next_step(dataclasses.replace(good, unanswered=unknown), "f.yaml", offline=False)
        assert found.startswith(begins)
