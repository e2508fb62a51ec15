"""The JSON output of migrate."""

from __future__ import annotations

import json
from pathlib import Path

from clusterwright.json_output.migrate import migrate_json
from clusterwright.migration.results import Costs, Migration, MigrationReport, Note
from tests.support.bills import bill_of


def test_a_migration_with_its_notes_and_costs(tmp_path: Path) -> None:
    bill = bill_of(tmp_path)
    migration = Migration(
        "hyperpod-slurm",
        "eks",
        "platform: eks\n",
        lost=(Note("resilience", "no deep health checks", "check GPUs by hand"),),
        gained=(),
        moves=(),
        decisions=(),
    )
    report = MigrationReport(
        migration, (Note("tenants", "must be set"),), (), Costs(bill, None), "dev.yaml", None
    )
    answer = json.loads(migrate_json(report, 1))
    assert (answer["command"], answer["exit_code"], answer["schema_version"]) == ("migrate", 1, 1)
    assert (answer["from"], answer["to"], answer["file"]) == ("hyperpod-slurm", "eks", "dev.yaml")
    assert answer["spec"] == "platform: eks\n"
    assert answer["lost"] == [
        {"path": "resilience", "what": "no deep health checks", "do": "check GPUs by hand"}
    ]
    assert answer["open"] == [{"path": "tenants", "what": "must be set", "do": None}]
    assert answer["written"] is None
    assert answer["cost"]["after"] is None
    assert answer["cost"]["before"]["platform"] == "hyperpod-slurm"
    assert answer["cost"]["before"]["hourly_usd"] == float(bill.total.hourly_usd)
