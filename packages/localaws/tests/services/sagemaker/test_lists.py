"""Tests of services.sagemaker.lists."""

from __future__ import annotations

from packages.localaws.tests.parts import (
    Site,
    client,
    nodes,
    refusal,
)


class TestLists:
    def test_clusters_are_filtered_sorted_and_paginated(self, site: Site) -> None:
        for name in ("b-one", "a-two", "b-three"):
            site.create(site.group("workers", 1), name=name)
        sagemaker = client("sagemaker")
        by_name = sagemaker.list_clusters(SortBy="NAME", SortOrder="Descending")
        assert [c["ClusterName"] for c in by_name["ClusterSummaries"]] == [
            "b-three",
            "b-one",
            "a-two",
        ]
        some = sagemaker.list_clusters(NameContains="b-")["ClusterSummaries"]
        assert {c["ClusterName"] for c in some} == {"b-one", "b-three"}
        pages = list(
            sagemaker.get_paginator("list_clusters").paginate(PaginationConfig={"PageSize": 2})
        )
        assert [len(page["ClusterSummaries"]) for page in pages] == [2, 1]

    def test_nodes_are_filtered_and_paginated(self, site: Site) -> None:
        site.create(site.group("workers", 250, "ml.c6i.4xlarge"))
        assert len(nodes()) == 251
        assert len(nodes(InstanceGroupNameContains="work")) == 250
        page = client("sagemaker").list_cluster_nodes(ClusterName="train", MaxResults=7)
        assert len(page["ClusterNodeSummaries"]) == 7
        assert "NextToken" in page

    def test_token_of_another_list_is_refused(self, site: Site) -> None:
        site.create(site.group("workers", 2))
        token = client("sagemaker").list_cluster_nodes(ClusterName="train", MaxResults=1)
        code, _ = refusal(client("sagemaker").list_clusters, NextToken=token["NextToken"])
        assert code == "ValidationException"
