"""Arguments of `scontrol` for a reservation that keeps users' jobs from nodes."""

from __future__ import annotations

from collections.abc import Collection


def reservation_words(
    name: str, before: Collection[str], after: Collection[str], flags: str
) -> list[str]:
    """Create, change or delete the reservation, so that it has the nodes `after`.

    Parameters
    ----------
    before:
        Its nodes now; empty if it does not exist.
    flags:
        Of a new reservation, by scontrol(1), "RESERVATIONS".
    """
    reservation = f"ReservationName={name}"
    if not after:
        return ["delete", reservation]
    if before:
        return ["update", reservation, f"Nodes={','.join(after)}"]
    return [
        *("create", "reservation", reservation, f"Nodes={','.join(after)}", "StartTime=now"),
        *("Duration=UNLIMITED", "Users=root", f"Flags={flags}"),
    ]
