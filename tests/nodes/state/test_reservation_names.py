"""The reservations of the controller's service have the names that `diagnose` knows."""

from __future__ import annotations

import pytest
from clusterwright_state import hold, requests
from clusterwright_state.spares import Spares

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
