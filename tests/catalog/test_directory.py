"""Writing of catalogue directories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import directory, load_catalog, snapshot
from clusterwright.catalog.api_shapes import API_FIELDS
from clusterwright.catalog.snapshot import Snapshot
from clusterwright.catalog.store import Store

STORE = Store()


BEFORE = directory.read(STORE)


def answered(name: str, **different: Any) -> dict[str, Any]:
    """The API fields of a type as in the data, some of them changed."""
    record = BEFORE["instances"]["instances"].get(name) or {}
    return {**{field: record.get(field, 0) for field in API_FIELDS}, **different}


def live(**different: Any) -> Snapshot:
    fields: dict[str, Any] = {
        "region": "us-east-1",
        "date": "2027-02-01",
        "endpoint": None,
        "instances": {"p5.48xlarge": answered("p5.48xlarge")},
        "zones": ("use1-az1", "use1-az6"),
        "local_zones": {},
        "offers": {"p5.48xlarge": ("use1-az6",)},
        "prices": {
            ("p5.48xlarge", "ec2-on-demand"): "60.00",
            ("p5.48xlarge", "hyperpod-on-demand"): "66.048",
        },
        "quotas": (("sagemaker", "L-8762A75F", "ml.p5.48xlarge for cluster usage", "None", 4.0),),
    }
    return Snapshot(**{**fields, **different})


def test_writing_replaces_files(tmp_path: Path) -> None:
    target = tmp_path / "new" / "facts"
    directory.write(BEFORE, target)
    directory.write(snapshot.apply(BEFORE, live()), target)
    assert sorted(path.name for path in target.iterdir()) == sorted(f"{n}.json" for n in BEFORE)
    written = json.loads((target / "sources.json").read_text(encoding="utf-8"))
    assert written == snapshot.apply(BEFORE, live())["sources"]


def test_a_failed_write_leaves_a_readable_catalogue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory.write(BEFORE, tmp_path)
    real = Path.replace
    done: list[str] = []

    def failing(self: Path, target: Path) -> Path:
        if len(done) == 7:
            raise OSError(28, "No space left on device")
        done.append(self.name)
        return real(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(OSError, match="No space"):
        directory.write(snapshot.apply(BEFORE, live()), tmp_path)
    monkeypatch.undo()
    catalog = load_catalog(directory=tmp_path)
    for name in ("p5.48xlarge", "m5.8xlarge"):
        assert catalog.instance(name) is not None
    for quota in catalog.quotas:
        assert quota.source
    assert catalog.instance_price("p5.48xlarge", "us-east-1", "ec2-on-demand")
