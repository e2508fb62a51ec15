"""The answer of `accept` as JUnit test cases, with the text of the command elsewhere
(`clusterwright/render/accept.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from clusterwright_common.acceptance_results import is_baseline

from clusterwright_state.commands.text import check_name, printable

_KINDS = {"fail": "failure", "hung": "failure", "unknown": "error"}
_UNTESTED = {"rejected": "fail"}


def junit(answer: Mapping[str, Any]) -> str:
    """One test suite per node, one test case per check; one per suspect in that of the cluster."""
    suites = ""
    for node in answer["nodes"]:
        rows = [(one["id"], one["verdict"], one["reason"]) for one in node["checks"]]
        untested = ("tested", _UNTESTED.get(node["verdict"], "unknown"), node["reason"])
        suites += _suite(node["name"], rows or [untested])
    shared = [
        (check_name(one), "baseline" if is_baseline(one) else one["verdict"], one["reason"])
        for one in answer["cluster_checks"]
    ]
    shared += [
        (f"suspect {one['kind']} {', '.join(one['names'])}", "fail", one["evidence"])
        for one in answer["suspects"]
    ]
    shared += [(part["what"], "unknown", part["reason"]) for part in answer["unknown"]]
    if shared:
        suites += _suite(answer["environment"], shared)
    title = quoteattr(f"clusterwright accept {answer['environment']}")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<testsuites name={title}>\n{suites}</testsuites>\n"
    )


def _suite(name: str, rows: Sequence[tuple[str, str, str]]) -> str:
    cases = [_case(name, *row) for row in rows]
    counts = " ".join(
        f'{word}="{sum(f"<{kind} " in case for case in cases)}"'
        for word, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))
    )
    head = f'  <testsuite name={quoteattr(printable(name))} tests="{len(cases)}" {counts}>\n'
    return head + "".join(cases) + "  </testsuite>\n"


def _case(node: str, check: str, verdict: str, reason: str) -> str:
    names = f"classname={quoteattr(printable(node))} name={quoteattr(printable(check))}"
    if verdict == "pass":
        return f"    <testcase {names}/>\n"
    kind = _KINDS.get(verdict, "skipped")
    message = quoteattr(printable(reason))
    return (
        f"    <testcase {names}>\n"
        f"      <{kind} message={message}>{escape(verdict)}</{kind}>\n"
        "    </testcase>\n"
    )
