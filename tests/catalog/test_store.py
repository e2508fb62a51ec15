"""Reading of the data files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from clusterwright.catalog import (
    Catalog,
    CatalogError,
    Known,
    load_catalog,
)
from clusterwright.catalog.store import PACKAGE_DATA, Store


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def test_files_are_read_on_demand() -> None:
    store = Store()
    catalog = Catalog(store)
    assert not store._documents
    catalog.quota("sagemaker", "L-2CE978FC")
    assert set(store._documents) == {"sources", "quotas"}
    catalog.service_price("s3", "Standard storage (first tier)", "us-east-1")
    assert set(store._documents) == {"sources", "quotas", "prices"}


def test_custom_directory_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(PACKAGE_DATA, tmp_path / "facts")
    sources = tmp_path / "facts/sources.json"
    changed = json.loads(sources.read_text(encoding="utf-8"))
    changed["sources"]["botocore"][1] = "2027-01-01"
    sources.write_text(json.dumps(changed), encoding="utf-8")
    monkeypatch.setenv("CLUSTERWRIGHT_CATALOG", str(tmp_path / "facts"))
    instance = load_catalog().instance("p5.48xlarge")
    assert instance is not None
    assert isinstance(instance.hyperpod, Known)
    assert instance.hyperpod.date == "2027-01-01"
    given = load_catalog(directory=PACKAGE_DATA).instance("p5.48xlarge")
    assert given is not None
    assert isinstance(given.hyperpod, Known)
    assert given.hyperpod.date == "2026-11-17"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read: No such file"),
        ("{", "is damaged"),
        ('{"schema_version": 2}', "does not have version 1"),
        ("[]", "does not have version 1"),
    ],
)
def test_an_unreadable_directory_is_an_error(
    tmp_path: Path, content: str | None, words: str
) -> None:
    folder = tmp_path / "facts"
    shutil.copytree(PACKAGE_DATA, folder)
    (folder / "quotas.json").unlink()
    if content is not None:
        (folder / "quotas.json").write_text(content, encoding="utf-8")
    catalog = load_catalog(directory=folder)
    assert catalog.instance("p5.48xlarge") is not None
    with pytest.raises(CatalogError, match=words):
        catalog.quota("sagemaker", "L-2CE978FC")


def test_an_unlisted_source_is_an_error(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE_DATA, tmp_path / "facts")
    (tmp_path / "facts/sources.json").write_text('{"schema_version": 1, "sources": {}}')
    with pytest.raises(CatalogError, match="has no source 'api-instance-types'"):
        load_catalog(directory=tmp_path / "facts").instance("p5.48xlarge")
