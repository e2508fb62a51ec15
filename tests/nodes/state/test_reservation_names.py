"""The reservations of the controller's service have the names that `diagnose` knows."""

from __future__ import annotations

import pytest
from clusterwright_state import hold, requests
from clusterwright_state.spares import Spares

from clusterwright.operate.node_plan import DRAIN_RESERVATION
from tests.diagnosis.made import signature_of


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        (requests.reservation_of("workers-2"), "reserved-by-person"),
        (hold.RESERVATION, "held-for-acceptance"),
        (Spares("workers", 1).reservation, "reserved-as-spare"),
    ],
)
def test_diagnose_knows_the_reservation(name: str, signature: str) -> None:
    assert signature_of("reservation", f"in the reservation {name}") == (signature,)


def test_the_command_elsewhere_knows_the_reservation_of_a_drain() -> None:
    assert requests.reservation_of("workers-2") == f"{DRAIN_RESERVATION}workers-2"
