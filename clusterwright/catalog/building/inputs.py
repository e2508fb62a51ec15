"""Read the inputs of the data files; moto and botocore are read as files, not imported."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from clusterwright.catalog.snapshot import Snapshot

SOURCES: Final = Path(__file__).resolve().parent.parent / "sources"
LIVE: Final = SOURCES / "live"

MOTO_VERSION: Final = "5.2.5"
BOTOCORE_VERSION: Final = "1.44.5"


def rows(name: str) -> list[dict[str, str]]:
    """A CSV file of `sources/`, one mapping per line."""
    with (SOURCES / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def document(name: str) -> Mapping[str, Any]:
    """A YAML file of `sources/`."""
    from ruamel.yaml import YAML

    loaded = YAML(typ="safe", pure=True).load((SOURCES / name).read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def snapshots() -> list[Snapshot]:
    """Snapshots of `catalog refresh --write`, oldest first."""
    found = [
        Snapshot.from_json(json.loads(path.read_text(encoding="utf-8")))
        for path in sorted(LIVE.glob("*.json"))
    ]
    return sorted(found, key=lambda live: (live.date, live.region))


def api_instance_types() -> dict[str, dict[str, Any]]:
    """moto's dump of DescribeInstanceTypes: API shapes by type."""
    loaded = _gzipped(_package("moto", MOTO_VERSION) / "ec2/resources/instance_types.json.gz")
    assert isinstance(loaded, dict)
    return loaded


def api_offerings() -> Iterator[tuple[str, list[dict[str, str]]]]:
    """moto's dump of DescribeInstanceTypeOfferings by zone id: (region, offerings)."""
    folder = (
        _package("moto", MOTO_VERSION)
        / "ec2/resources/instance_type_offerings/availability-zone-id"
    )
    for path in sorted(folder.glob("*.json.gz")):
        yield path.name.removesuffix(".json.gz"), _gzipped(path)


def api_enum(service: str, shape: str) -> list[str]:
    """An enumeration of botocore's service model, in the model's order."""
    folder = _package("botocore", BOTOCORE_VERSION) / "data" / service
    model = _gzipped(max(folder.glob("*/service-2.json.gz")))
    return [str(value) for value in model["shapes"][shape]["enum"]]


def _gzipped(path: Path) -> Any:
    with gzip.open(path, mode="rt", encoding="utf-8") as file:
        return json.load(file)


def _package(name: str, version: str) -> Path:
    """The folder of an installed package, which must have the version in `sources.csv`."""
    from importlib import metadata

    installed = metadata.version(name)
    if installed != version:
        raise SystemExit(
            f"the catalogue is generated from {name} {version}, {installed} is installed: "
            f"install {version}, or change it here and in sources.csv with its date"
        )
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent
