"""The JSON output of a diagnosis."""

from __future__ import annotations

import json

import jsonschema

from clusterwright.diagnosis.model import Diagnosis, NotRead
from clusterwright.json_output.diagnose import diagnosis_json
from clusterwright.json_output.schemas import schemas
from tests.diagnosis.made import findings, of_log


def test_keys_of_the_contract() -> None:
    found = findings(*of_log("[2026-11-23T08:00:00] Munge decode failed: Rewound credential"))
    text = diagnosis_json(Diagnosis(found, ("a",), (NotRead("b", "c"),)))
    data = json.loads(text)
    jsonschema.validate(data, schemas()["diagnose-output.schema.json"])
    assert (data["schema_version"], data["command"], data["exit_code"]) == (1, "diagnose", 1)
    assert data["read"] == ["a"]
    assert data["unknown"] == [{"what": "b", "reason": "c", "hint": ""}]
    (finding,) = data["findings"]
    assert (finding["severity"], finding["confidence"]) == ("error", "certain")
    assert finding["evidence"] == [
        {
            "source": "a log",
            "id": "stream:1",
            "time": "2026-11-23T08:00:00+00:00",
            "text": "[2026-11-23T08:00:00] Munge decode failed: Rewound credential",
        }
    ]
