"""A review as a comment of a pull request."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.preflight.results import Finding, Unanswered, Waived
from clusterwright.render.review import review_text
from clusterwright.render.review_markdown import (
    MAXIMUM_CHARACTERS,
    code,
    marker,
    plain,
    review_markdown,
)
from clusterwright.review.results import (
    AccessChange,
    DeploymentBlocker,
    FindingsDelta,
    GateResult,
    NodesChange,
    QuotaDelta,
    ResourceChange,
    Review,
    ScriptsChange,
    SpecChange,
    Summary,
    Unknown,
)

TODAY = dt.date(2026, 11, 20)


def review(text: str = "text", many: int = 1) -> Review:
    """A review with `many` entries of each kind, each with `text`."""
    finding = Finding(
        rule="CW-Q001", severity="error", path=text, message=text, hint=text, limit=8
    )
    unanswered = Unanswered(rule="CW-Q002", severity="error", path=text, message=text, hint=text)
    return Review(
        file=text,
        environment="prod",
        base=text,
        changes=(SpecChange(text, text, {"a": text}),) * many,
        resources=(
            ResourceChange(
                stack="prod-storage", logical_id=text, type=text, effect="replace",
                action="replace", reasons=(text, text), properties=(text,), holds=text,
                data_loss=True, outcome=text, job_loss=True,
            ),
        ) * many,
        deployment_blockers=(
            DeploymentBlocker(kind="cannot-shrink", where=text, message=text, hint=text),
        )
        * many,
        nodes=(
            NodesChange(
                group=text, change="shrunk", before=64, after=8, jobs="die", message=text
            ),
        ) * many,
        access=(AccessChange(text, text, text),) * many,
        wider_network=(AccessChange(text, text, text),) * many,
        scripts=ScriptsChange((text,) * many, (text,), (text,), True, text),
        quotas=(
            QuotaDelta(
                service="sagemaker", code="L-1", label=text, unit=text, before=8, after=64.5
            ),
        ) * many,
        findings=FindingsDelta(
            new=(finding,) * many,
            fixed=(finding,) * many,
            waived=(Waived(finding=finding, reason=text, expires=TODAY),) * many,
            standing=(finding,) * many,
            unanswered=(unanswered,) * many,
        ),
        gates=(
            GateResult(gate="replacement", status="fail", name=text, message=text, hint=text),
        ) * many,
        unknown=(Unknown(text, text, text),) * many,
        notes=(text,) * many,
        drift=(SpecChange(text, "1", "2"),) * many,
        plan=(SpecChange(text, 512, 64),) * many,
        summary=Summary(text, text, text, text, text),
        today=TODAY,
    )  # fmt: skip


def test_verdict_is_first_and_details_are_folded() -> None:
    lines = review_markdown(review()).splitlines()
    assert lines[0] == marker("prod") == "<!-- clusterwright-diff:prod -->"
    assert lines[2] == "### prod: **fail**, must not be merged"
    assert lines[4] == "Against text; gates that fail: replacement (1)."
    assert [line.partition(":")[0] for line in lines[6:11]] == [
        "- **What happens**",
        "- **What is lost**",
        "- **What survives**",
        "- **What it costs**",
        "- **What to do instead**",
    ]
    text = "\n".join(lines)
    assert text.count("<details>") == text.count("</details>") > 8


@pytest.mark.parametrize("text", ["x" * 5000, "é|`<" * 900, "短い" * 2000, "a"])
@pytest.mark.parametrize("many", [1, 2000])
def test_comment_is_truncated_without_broken_markup(text: str, many: int) -> None:
    comment = review_markdown(review(text, many))
    assert len(comment) <= MAXIMUM_CHARACTERS
    assert len(comment.encode()) <= MAXIMUM_CHARACTERS
    assert comment.startswith(marker("prod"))
    assert comment.count("<details>") == comment.count("</details>")
    if many == 2000:
        assert "more: see `--format json`" in comment
        # A large section does not displace the others.
        for title in ("Resources", "Spec", "Quotas", "Unknown"):
            assert f"<summary>{title} (2000)</summary>" in comment


NASTY = st.text(
    st.sampled_from("`|<>[]()*_~#@!&$\\\n\r\t -/:;ab\x1b\u202e\u2028"), max_size=60
) | st.sampled_from(
    [
        "@everyone",
        "#1",
        "</details>",
        "<!-- clusterwright-diff:other -->",
        "<img src=x onerror=alert(1)>",
        "![x](https://example.com/x.png)",
        "[x](javascript:alert(1))",
        "a | b | c",
        "``` \n# heading",
        "/close",
        "https://example.com",
        "www.example.com",
        "&lt;script&gt;",
        "$$x$$",
    ]
)


def without_code(line: str) -> str:
    """A line without code spans and escaped characters, parsed from the left as in CommonMark."""
    kept, at = "", 0
    while at < len(line):
        if line[at] == "\\":
            at += 2
            continue
        if line[at] == "`":
            run = re.match("`+", line[at:])
            assert run is not None
            end = re.search(f"(?<!`){run.group()}(?!`)", line[at + run.end() :])
            assert end is not None, f"a code span that does not end: {line}"
            inside = line[at + run.end() : at + run.end() + end.start()]
            # Tables are parsed before code spans: a bare bar would end the cell.
            assert not re.search(r"(?<!\\)\|", inside)
            at += run.end() + end.end()
            continue
        kept, at = kept + line[at], at + 1
    return kept


def tokens(comment: str) -> tuple[Any, ...]:
    """The structure of a comment: line starts, tags, table bars, marks outside of code."""
    bare = "\n".join(map(without_code, comment.splitlines()))
    return (
        re.findall(r"</?[a-z!][^>]*>", bare),
        [line.count("|") for line in bare.splitlines()],
        [re.match(r"[-#>|/]?", line).group() for line in bare.splitlines()],  # type: ignore[union-attr]
        re.findall(r"[@#](?=[\w])", bare),
        re.findall(r"\]\(", bare),
        re.findall(r"(?i)(?:https?://|www\.)(?=\w)", bare),
    )


PLAIN = tokens(review_markdown(review("word")))


@given(text=NASTY)
def test_values_are_escaped_in_the_comment(text: str) -> None:
    # Never empty: entries without a hint omit it.
    assert tokens(review_markdown(review(f"a{text}"))) == PLAIN


@given(text=NASTY)
def test_text_and_code_stay_on_one_line(text: str) -> None:
    for shown in (plain(text), code(text)):
        assert "\n" not in shown
        assert "\r" not in shown
        assert "\x1b" not in shown
    assert "\x1b" not in review_text(review(text))


def test_aws_links_are_kept() -> None:
    link = "https://docs.aws.amazon.com/fsx/x.html"
    assert link in plain(f"see {link}")
