"""The answer of `accept` as JUnit, by an XML parser."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

from clusterwright_state.commands.junit import junit


def check(name: str, verdict: str, reason: str = "", **more: Any) -> dict[str, Any]:
    return {"id": name, "verdict": verdict, "reason": reason, **more}


def test_suites_of_nodes_and_of_what_they_share() -> None:
    answer = {
        "environment": "dev",
        "nodes": [
            {
                "name": "n1",
                "verdict": "rejected",
                "reason": "",
                "checks": [check("gpu-count", "fail", "7 < 8 & 1 lost"), check("links", "pass")],
            },
            {"name": "n2", "verdict": "unknown", "reason": "not tested", "checks": []},
        ],
        "cluster_checks": [
            check("cluster-allreduce", "pass", size_mib=1024, mount_path=None),
            check("lustre-write", "hung", "did not end", size_mib=None, mount_path="/fsx"),
        ],
        "suspects": [{"kind": "path", "names": ["n1", "n2"], "evidence": "bad twice"}],
        "unknown": [{"what": "acceptance", "reason": "no record"}],
    }
    root = ET.fromstring(junit(answer))
    suites = {one.get("name"): one for one in root}
    assert list(suites) == ["n1", "n2", "dev"]
    counts = {name: (one.get("failures"), one.get("errors")) for name, one in suites.items()}
    assert counts == {"n1": ("1", "0"), "n2": ("0", "1"), "dev": ("2", "1")}
    (failure,) = suites["n1"].iter("failure")
    assert "7 < 8 & 1 lost" in (failure.get("message") or "") + (failure.text or "")
    names = [case.get("name") for case in suites["dev"]]
    assert names == [
        "cluster-allreduce 1024 MiB",
        "lustre-write /fsx",
        "suspect path n1, n2",
        "acceptance",
    ]
