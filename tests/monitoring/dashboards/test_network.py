"""The dashboard of the network."""

from __future__ import annotations

from tests.support.monitored_clusters import GPUS, KUBERNETES, panels


def test_faults_of_efa_are_growth_of_counters() -> None:
    found = panels("network", GPUS)
    for title in ("Peers that do not answer", "Timeouts of retransmission", "Dropped packets"):
        for query in found[f"EFA: faults: {title}"].queries:
            assert query.expression.startswith("increase(efa_"), title
            assert query.expression.endswith("> 0"), title


def test_lnet_is_left_out_on_kubernetes() -> None:
    assert "Ethernet and LNet: Messages of LNet" in panels("network", GPUS)
    assert not any("of LNet" in name for name in panels("network", KUBERNETES))
