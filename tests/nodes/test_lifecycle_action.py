"""`on_pcs_node.sh`, the lifecycle action of AWS PCS: region, manifest, arguments."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "lifecycle_scripts" / "on_pcs_node.sh"
PREFIX = "s3://scripts/lifecycle/0123456789abcdef/"
PROGRAMS = {
    # `aws s3 cp ... -- SOURCE TARGET` out of a folder.
    "aws": """\
echo "$*" >>"$BUCKETS/calls"
while [ "$1" != -- ]; do shift; done
source="$BUCKETS/${2#s3://}"
[ -e "$source" ] || { echo "fatal error: 404 $2" >&2; exit 1; }
cp -r "$source". "$3"
""",
    # The metadata service: a token first, then the region with it.
    "curl": """\
[ -e "$BUCKETS/imds" ] || { echo "curl: (7) refused" >&2; exit 7; }
case "$*" in
*"-X PUT"*"/latest/api/token") echo token ;;
*"X-aws-ec2-metadata-token: token"*"/latest/meta-data/placement/region") echo eu-west-1 ;;
*) exit 22 ;;
esac
""",
    "python3": 'echo "python3 $*"\n',
    "sleep": "",
}

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The scripts in the bucket."""
    found = tmp_path / "s3" / PREFIX.removeprefix("s3://")
    found.mkdir(parents=True)
    (found / "cluster.json").write_text("{}")
    (found / "deployment.json").write_text("{}")
    line = f"{hashlib.sha256(b'{}').hexdigest()}  cluster.json\n"
    (found / "manifest.sha256").write_text(line)
    (tmp_path / "s3/imds").write_text("")
    return found


@pytest.fixture
def run(tmp_path: Path, folder: Path) -> Run:
    """Run the script on a machine with a bucket and a metadata service."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in PROGRAMS.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}")
        (programs / name).chmod(0o755)

    def start(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", str(SCRIPT), *words],
            env={
                "BUCKETS": str(tmp_path / "s3"),
                "CLUSTERWRIGHT_TEST_ROOT": str(tmp_path / "root"),
                "PATH": f"{programs}:/usr/bin:/bin",
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    return start


def version(folder: Path) -> str:
    return hashlib.sha256((folder / "manifest.sha256").read_bytes()).hexdigest()


def test_program_is_run_for_the_group_with_the_instances_region(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    done = run(PREFIX, version(folder), "workers")
    assert done.returncode == 0, done.stderr
    assert "-m clusterwright_node --configuration pcs" in done.stdout
    assert "--group workers" in done.stdout
    assert "--region eu-west-1" in (tmp_path / "s3/calls").read_text()
    made = tmp_path / "root/run/clusterwright/lifecycle-action"
    assert made.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("name", ["deployment.json", "jobs.json"])
def test_file_of_the_deployment_is_not_in_the_manifest(run: Run, folder: Path, name: str) -> None:
    (folder / name).write_text('{"other": "value"}')
    done = run(PREFIX, version(folder), "workers")
    assert done.returncode == 0, done.stderr


def test_changed_script_is_refused(run: Run, folder: Path) -> None:
    (folder / "cluster.json").write_text('{"changed": true}')
    done = run(PREFIX, version(folder), "workers")
    assert done.returncode == 1
    assert "are not those of the deployment" in done.stderr
    assert "clusterwright_node" not in done.stdout


def test_other_manifest_is_refused(run: Run) -> None:
    done = run(PREFIX, "0" * 64, "workers")
    assert done.returncode == 1
    assert "has the digest" in done.stderr


@pytest.mark.parametrize("name", ["evil.py", "site_steps/jobs.json"])
def test_additional_file_is_refused(run: Run, folder: Path, name: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("import os\n")
    done = run(PREFIX, version(folder), "workers")
    assert done.returncode == 1
    assert "holds what the deployment did not put there" in done.stderr


def test_missing_metadata_service_is_told(run: Run, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "s3/imds").unlink()
    done = run(PREFIX, version(folder), "workers")
    assert done.returncode == 1
    assert "the instance metadata service does not say the region" in done.stderr


@pytest.mark.parametrize("words", [(), (PREFIX,), (PREFIX, "0" * 64)])
def test_missing_arguments_are_told(run: Run, words: tuple[str, ...]) -> None:
    done = run(*words)
    assert done.returncode == 3
    assert "and 3 are wanted" in done.stderr
