"""The list of artefacts: accepted, refused and written content."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.artefacts import Artefact, LockError, object_key, read_lock
from clusterwright.artefacts.lock import pinned, write_lock

SHA = "a" * 64
ROW: dict[str, Any] = {
    "name": "enroot",
    "version": "3.4.1-1",
    "architecture": "x86_64",
    "url": "https://example.com/files/enroot_3.4.1-1_amd64.deb",
    "sha256": SHA,
    "size_bytes": 12,
    "source": "the release page",
    "used_by": ["containers"],
}


def written(folder: Path, *rows: dict[str, Any], **document: Any) -> Path:
    path = folder / "artefacts.json"
    content = {"schema_version": 1, "artefacts": list(rows), **document}
    path.write_text(json.dumps(content))
    return path


def problems(path: Path) -> tuple[str, ...]:
    with pytest.raises(LockError) as caught:
        read_lock(path)
    return caught.value.problems


def test_lock_file_survives_a_round_trip(tmp_path: Path) -> None:
    unknown = {**ROW, "name": "other", "sha256": "unknown", "size_bytes": "unknown"}
    path = written(tmp_path, ROW, unknown)
    found = read_lock(path)
    assert (found[0].sha256, found[0].size_bytes) == (SHA, 12)
    assert (found[1].sha256, found[1].size_bytes) == (None, None)
    write_lock(path, found)
    assert json.loads(path.read_text())["artefacts"] == [ROW, unknown]
    assert [p.name for p in tmp_path.iterdir()] == ["artefacts.json"]


def test_key_contains_the_checksum(tmp_path: Path) -> None:
    (artefact,) = read_lock(written(tmp_path, ROW))
    assert object_key(artefact) == f"artefacts/{SHA}/enroot_3.4.1-1_amd64.deb"
    unpinned = Artefact("a", "1", "any", "https://x.example/a", None, None, "s", ("containers",))
    with pytest.raises(ValueError, match="unknown"):
        object_key(unpinned)
    assert object_key(pinned(unpinned, SHA, 1)) == f"artefacts/{SHA}/a"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "En root"}, "is not a name"),
        ({"version": ""}, "is not a version"),
        ({"architecture": "sparc"}, "is not one of x86_64, arm64, any"),
        ({"url": "http://example.com/a"}, "is not an https address of a file"),
        ({"url": "https://example.com/"}, "is not an https address of a file"),
        ({"url": "https://example.com/a?b=c"}, "is not an https address of a file"),
        ({"url": "https://example.com/.."}, "is not an https address of a file"),
        ({"sha256": "A" * 64}, "is not 64 hexadecimal digits"),
        ({"sha256": None}, "is not 64 hexadecimal digits"),
        ({"size_bytes": 0}, "is not a number of bytes"),
        ({"size_bytes": True}, "is not a number of bytes"),
        ({"size_bytes": "unknown"}, "is not known if and only if sha256 is known"),
        ({"source": " "}, "is not the source of this entry"),
        ({"used_by": []}, "is not a list of node steps"),
    ],
)
def test_lock_errors_are_reported(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    found = problems(written(tmp_path, ROW, {**ROW, "name": "b", **change}))
    assert any(said in problem and problem.startswith("artefacts[1].") for problem in found)


def test_all_lock_errors_are_reported_at_once(tmp_path: Path) -> None:
    found = problems(written(tmp_path, {**ROW, "sha256": "x", "version": ""}, {"name": "b"}))
    assert len(found) == 3
    assert "duplicate artefact" in problems(written(tmp_path, ROW, ROW))[0]
    assert problems(written(tmp_path, more=1)) == (
        "expected the keys schema_version and artefacts",
    )
    assert problems(written(tmp_path, schema_version=2)) == ("schema_version is not 1",)
    assert problems(tmp_path / "none.json") == ("the file does not exist",)
    path = tmp_path / "artefacts.json"
    path.write_text('{"schema_version": 1, "schema_version": 1, "artefacts": []}')
    assert problems(path) == ("schema_version is written twice",)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from([*ROW, "artefacts", "schema_version"]), inner)
        ),
        max_leaves=12,
    )
)
def test_any_json_is_loaded_or_refused(
    tmp_path_factory: pytest.TempPathFactory, value: Any
) -> None:
    path = tmp_path_factory.mktemp("lock") / "artefacts.json"
    for content in (value, {"schema_version": 1, "artefacts": [value]}):
        path.write_text(json.dumps(content))
        with contextlib.suppress(LockError):
            read_lock(path)


def test_shipped_lock_file_is_valid() -> None:
    lifecycle = Path(__file__).parents[2] / "lifecycle_scripts"
    steps = {path.stem for path in (lifecycle / "clusterwright_node/steps").glob("*.py")}
    found = read_lock(lifecycle / "artefacts.json")
    assert found
    for artefact in found:
        assert set(artefact.used_by) <= steps
