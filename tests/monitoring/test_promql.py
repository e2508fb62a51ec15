"""The scanner finds the metrics and labels of PromQL expressions."""

from __future__ import annotations

import pytest

from clusterwright.monitoring.promql import ScanError, Use, grouped_labels, uses, written_labels


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("up", [Use("up", ())]),
        ('up{node="a,b}"} == 0', [Use("up", ("node",))]),
        ("sum by (node) (rate(efa_rx_bytes_total{cluster=~\"$cluster\"}[5m]))",
         [Use("efa_rx_bytes_total", ("cluster",))]),
        ("sum(gpu_count) by (node) / on (node) group_left (group) node_load1",
         [Use("gpu_count", ()), Use("node_load1", ())]),
        ("up offset 5m and ignoring (x) absent(gpu_count) unless bool_metric > bool 1e3",
         [Use("up", ()), Use("gpu_count", ()), Use("bool_metric", ())]),
        ("rate(a[$__rate_interval]) * 8 + 0x1F - .5 ^ 2", [Use("a", ())]),
        ("histogram_quantile(0.9, sum by (le) (b_bucket)) # c", [Use("b_bucket", ())]),
        ("max_over_time(a:b:c[1h:5m] @ end())", [Use("a:b:c", ())]),
        ("topk(5, quantile by (job) (0.5, x)) != NaN", [Use("x", ())]),
        ("time() - node_boot_time_seconds > 1h30m", [Use("node_boot_time_seconds", ())]),
        ("", []),
    ],
)  # fmt: skip
def test_metrics_of_an_expression(expression: str, expected: list[Use]) -> None:
    assert list(uses(expression)) == expected


def test_labels_of_lists() -> None:
    expression = "sum by (node, group) (a) / on (node) group_left b{c='d'}"
    assert grouped_labels(expression) == {"node", "group"}


def test_labels_that_the_expression_writes() -> None:
    assert written_labels('label_replace(a, "to", "$1", "from", "(.*)")') == {"to", "from"}
    assert written_labels('a{b="to"}') == frozenset()


@pytest.mark.parametrize("expression", ["a ? b", '{job="x"}', 'a{b="c"', "a{b=“c”}"])
def test_what_is_not_promql_is_refused(expression: str) -> None:
    with pytest.raises(ScanError):
        uses(expression)
