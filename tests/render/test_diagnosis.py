"""A diagnosis as text."""

from __future__ import annotations

from clusterwright.diagnosis.model import Diagnosis, NotRead
from clusterwright.render.diagnosis import diagnosis_text
from tests.diagnosis.made import findings, item


def test_cause_evidence_commands_and_what_was_not_read() -> None:
    lines = [item("log", "No space left on device", node=f"w-{n}", id=str(n)) for n in range(6)]
    text = diagnosis_text(
        Diagnosis(
            findings(*lines),
            ("log group x: 6 lines",),
            (NotRead("RDS databases", "denied", "allow rds:DescribeDBInstances"),),
        )
    )
    assert text == (
        "certain: disk full: no space left\n"
        "  on w-0, w-1, w-2, w-3, w-4, w-5\n"
        "  the logs (0): No space left on device\n"
        "  the logs (1): No space left on device\n"
        "  the logs (2): No space left on device\n"
        "  the logs (3): No space left on device\n"
        "  and 2 more (--format json has them)\n"
        "  next: clusterwright diagnose configs/prod.yaml node w-0\n"
        "\n"
        "unknown: RDS databases\n"
        "  denied\n"
        "  hint: allow rds:DescribeDBInstances\n"
        "\n"
        "read\n"
        "  log group x: 6 lines\n"
        "\n"
        "1 finding; 1 could not be read\n"
    )


def test_information_is_shown_and_is_no_finding() -> None:
    spare = item("reservation", "in the reservation clusterwright_spares_workers", node="w-1")
    assert diagnosis_text(Diagnosis(findings(spare), (), ())) == (
        "info: the node is a spare of the group workers: it takes jobs when another node is lost\n"
        "  on w-1\n"
        "  the reservations (1): in the reservation clusterwright_spares_workers\n"
        "  next: clusterwright capacity configs/prod.yaml\n"
        "\n"
        "no failure found; 1 for information\n"
    )


def test_nothing_found() -> None:
    assert diagnosis_text(Diagnosis((), (), ())) == "no failure found\n"
