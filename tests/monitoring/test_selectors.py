"""Selectors by the variables of dashboards."""

from __future__ import annotations

from clusterwright.monitoring.selectors import (
    JOB_OF_NODE,
    growth,
    holders,
    of_job,
    on_cluster,
    on_groups,
    on_nodes,
    rate,
)


def test_selectors() -> None:
    assert on_cluster("up") == 'up{cluster="$cluster"}'
    assert on_cluster("up", 'a="b"') == 'up{cluster="$cluster",a="b"}'
    assert on_groups("up") == 'up{cluster="$cluster",group=~"$group"}'
    assert on_nodes("up") == 'up{cluster="$cluster",group=~"$group",node=~"$node"}'


def test_holders_join_the_names_of_slurm_with_the_label_node() -> None:
    assert holders('job_id="7"') == (
        'clusterwright_node_info{cluster="$cluster"} * on (cluster, slurm_node)'
        " group_left (job_id, partition) max by (cluster, slurm_node, job_id, partition)"
        ' (slurm_node_job{cluster="$cluster",job_id="7"})'
    )


def test_functions() -> None:
    assert rate("a") == "rate(a[$__rate_interval])"
    assert growth("a") == "increase(a[$__rate_interval])"
    assert of_job("a") == f"(a) and on (node) {JOB_OF_NODE}"
