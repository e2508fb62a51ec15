"""The scaling report as text."""

from __future__ import annotations

from clusterwright.goodput.collectives import InspectorFile, Operation
from clusterwright.goodput.report import RecordedPlan
from clusterwright.goodput.results import AcceptedBandwidth
from clusterwright.render.scaling import scaling_text
from tests.support.goodput_reports import PLAN, scaling


def test_whole_text() -> None:
    assert (
        scaling_text(scaling({1: 80.0, 2: 42.0, 4: 24.0}))
        == """\
prod: throughput by number of nodes

unknown: prediction on 1, 4 nodes: no plan is for this number of nodes
  hint: --plan FILE for each: `clusterwright plan ... --nodes N --format json > FILE`
unknown: the collective that dominates: no files of NCCL Inspector were given
  hint: --inspector DIR

  nodes  runs  tokens/s  s/step   MFU  efficiency  USD per 10^9 tokens  plan tokens/s  of plan
      1     1     3,277      80  1.7%      100.0%                3,052        unknown  unknown
      2     1     6,242      42  1.7%       95.2%                3,204        150,781     4.1%
      4     1    10,923      24  1.4%       83.3%                3,662        unknown  unknown

knee: below 90 % from 4 nodes
knee against the plan: below 90 % of its throughput from 2 nodes

plan: MFU 30.0% to 50.0% on 2 nodes (P10 to P90); measured 1.7%, below
"""
    )


def test_no_knee_and_no_points() -> None:
    assert "knee: none" in scaling_text(scaling({1: 80.0, 2: 41.0}))
    assert "unknown: throughput" in scaling_text(scaling({}))


def test_bandwidths_of_acceptance() -> None:
    found = tuple(
        AcceptedBandwidth(nodes, mib, gbs, None, verdict, "a.json")
        for nodes, mib, gbs, verdict in (
            (2, 512, 396.0, "pass"),
            (2, 1024, 435.0, "pass"),
            (4, 1024, 280.0, "fail"),
            (8, 512, 273.0, "pass"),
        )
    )
    text = scaling_text(scaling({1: 80.0, 2: 42.0}, acceptance=found))
    assert text.endswith(
        """
all-reduce of acceptance, bus bandwidth in GB/s
  nodes  512 MiB   1,024 MiB  of 2 nodes
      2      396         435      100.0%
      4  unknown  280 (fail)       64.4%
      8      273     unknown     unknown
"""
    )


def test_operations_of_nccl() -> None:
    files = [
        InspectorFile(
            "n1/a.log",
            (Operation("ReduceScatter", 512 << 20, 9e6, 1000), Operation("Send", 8192, 1e6, 4000)),
        ),
        InspectorFile("n2/a.prom", (Operation("AllReduce", 8, 250.0, None),)),
    ]
    text = scaling_text(scaling({1: 80.0, 2: 42.0}, inspector=files))
    assert text.endswith(
        """
operations of NCCL, by NCCL Inspector
  nodes  operation      of NCCL's time  operations  longest, ms  with at least
      1  ReduceScatter           90.0%       1,000            9        512 MiB
      1  Send                    10.0%       4,000         0.25          8 KiB
      2  AllReduce             unknown     unknown         0.25            8 B
  on 1 node: ReduceScatter takes most time, 90.0%
  on 2 nodes: most time unknown; a single AllReduce takes longest
"""
    )
    assert "unknown: the collective that dominates on 2 nodes: files" in text


def test_no_knee_against_the_plan() -> None:
    estimate = PLAN["estimate"] | {"in_run_mfu": {"p50": 0.01}}
    plan = RecordedPlan("n2.json", PLAN | {"estimate": estimate})
    text = scaling_text(scaling({1: 80.0, 2: 42.0}, plan=plan))
    assert "knee against the plan: none, at least 90 % of its throughput on 2 nodes\n" in text
    assert "knee against the plan:" not in scaling_text(scaling({1: 80.0, 4: 42.0}))
