"""Random operations on a cluster in random order: the state is consistent."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clusterwright_localaws import local_aws
from clusterwright_localaws.core import catalog_facts
from packages.localaws.tests.parts import (
    Site,
    build_site,
    client,
    describe,
    group_of,
    nodes,
    refusal,
)

TYPES = {"big": "ml.p5.48xlarge", "small": "ml.c5.xlarge"}
QUOTA = 12

counts = st.integers(0, 14)
names = st.sampled_from(sorted(TYPES))
steps = st.one_of(
    st.tuples(st.just("resize"), names, counts),
    st.tuples(st.just("drop"), names),
    st.tuples(st.just("delete nodes"), st.integers(1, 4)),
    st.tuples(st.just("replace"), st.integers(1, 2)),
    st.tuples(st.just("reboot"), st.integers(1, 2)),
    st.tuples(st.just("time passes"), st.integers(1, 60)),
)


class Books:
    """The expected state of the cluster."""

    def __init__(self, site: Site, free: int) -> None:
        self.site = site
        self.free = free
        self.wanted: dict[str, int] = {"big": 1, "small": 1}

    def request(self, wanted: dict[str, int]) -> list[dict[str, Any]]:
        groups = [self.site.group(name, wanted[name], TYPES[name]) for name in sorted(wanted)]
        return [self.site.controller(), *groups]

    def resize(self, name: str, count: int) -> None:
        wanted = {**self.wanted, name: count}
        update = client("sagemaker").update_cluster
        if name == "big" and count > QUOTA and count > self.wanted.get("big", 0):
            code, _ = refusal(update, ClusterName="train", InstanceGroups=self.request(wanted))
            assert code == "ResourceLimitExceeded"
            return
        update(ClusterName="train", InstanceGroups=self.request(wanted))
        self.wanted = wanted

    def drop(self, name: str) -> None:
        if name not in self.wanted:
            return
        del self.wanted[name]
        client("sagemaker").update_cluster(
            ClusterName="train",
            InstanceGroups=self.request(self.wanted),
            InstanceGroupsToDelete=[name],
        )

    def delete_nodes(self, count: int) -> None:
        chosen = [n for n in nodes() if n["InstanceGroupName"] != "controller"][:count]
        if not chosen:
            return
        answer = client("sagemaker").batch_delete_cluster_nodes(
            ClusterName="train", NodeIds=[node["InstanceId"] for node in chosen]
        )
        assert len(answer["Successful"]) == len(chosen)
        for node in chosen:
            self.wanted[node["InstanceGroupName"]] -= 1

    def on_some(self, operation: str, count: int) -> None:
        chosen = [n["InstanceId"] for n in nodes() if n["InstanceGroupName"] != "controller"]
        if chosen:
            getattr(client("sagemaker"), operation)(ClusterName="train", NodeIds=chosen[:count])

    def check(self) -> None:
        found = describe()
        assert found["ClusterStatus"] == "InService"
        listed = nodes()
        ids = [node["InstanceId"] for node in listed]
        assert len(ids) == len(set(ids)) == 1 + sum(self.wanted.values())
        held = catalog_facts.addresses_per_node("m5.xlarge", "hyperpod-slurm")
        for name, count in self.wanted.items():
            group = group_of(found, name)
            assert (group["CurrentCount"], group["TargetCount"]) == (count, count)
            assert sum(node["InstanceGroupName"] == name for node in listed) == count
            each = catalog_facts.addresses_per_node(
                TYPES[name].removeprefix("ml."), "hyperpod-slurm"
            )
            held += each * count
        assert self.free - self.site.free_addresses() == held


@given(st.lists(steps, max_size=8))
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
def test_nodes_addresses_and_counts_are_consistent_after_any_sequence(
    sequence: list[tuple[Any, ...]],
) -> None:
    with local_aws(quotas={"sagemaker/L-8762A75F": QUOTA}) as aws:
        site = build_site()
        books = Books(site, site.free_addresses())
        client("sagemaker").create_cluster(
            **{**site.request(), "InstanceGroups": books.request(books.wanted)}
        )
        books.check()
        for what, *arguments in sequence:
            if what == "resize":
                books.resize(*arguments)
            elif what == "drop":
                books.drop(*arguments)
            elif what == "delete nodes":
                books.delete_nodes(*arguments)
            elif what == "time passes":
                aws.clock.advance(*arguments)
            else:
                books.on_some(f"batch_{what}_cluster_nodes", *arguments)
            books.check()
        client("sagemaker").delete_cluster(ClusterName="train")
        assert client("sagemaker").list_clusters()["ClusterSummaries"] == []
        assert site.free_addresses() == books.free
