"""`on_node_configured.sh` where the words do not name a version: the latest one is looked up."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "lifecycle_scripts" / "on_node_configured.sh"
PREFIX = "s3://scripts/lifecycle/0123456789abcdef/"

AWS = """\
#!/bin/sh
# `aws s3 cp ... -- SOURCE TARGET` out of a folder.
echo "$*" >>"$BUCKETS/calls"
while [ "$1" != -- ]; do shift; done
source="$BUCKETS/${2#s3://}"
[ -e "$source" ] || { echo "fatal error: 404 $2" >&2; exit 1; }
if [ "$3" = - ]; then cat "$source"; else cp -r "$source". "$3"; fi
"""
PYTHON = '#!/bin/sh\necho "python3 $*"\n'

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs the script on a machine with a bucket; `sleep` takes no time."""
    programs, buckets, root = tmp_path / "bin", tmp_path / "s3", tmp_path / "root"
    programs.mkdir()
    for name, text in {"aws": AWS, "python3": PYTHON, "sleep": "#!/bin/sh\n"}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    folder = buckets / PREFIX.removeprefix("s3://")
    folder.mkdir(parents=True)
    (folder / "cluster.json").write_bytes(b"{}")
    line = f"{hashlib.sha256(b'{}').hexdigest()}  cluster.json\n"
    (folder / "manifest.sha256").write_text(line)
    (root / "etc/parallelcluster").mkdir(parents=True)
    (root / "etc/parallelcluster/cfnconfig").write_text("cfn_region=us-east-1\n")
    digest = hashlib.sha256(line.encode()).hexdigest()

    def start(*words: str, latest: str | None = None) -> subprocess.CompletedProcess[str]:
        if latest is not None:
            (buckets / "scripts/latest").write_text(latest.replace("DIGEST", digest))
        environment = {
            "BUCKETS": str(buckets),
            "CLUSTERWRIGHT_TEST_ROOT": str(root),
            "PATH": f"{programs}:/usr/bin:/bin",
        }
        return subprocess.run(
            ["bash", str(SCRIPT), *words],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    return start


def test_the_latest_version_is_run(run: Run) -> None:
    done = run("s3://scripts/latest", "latest", "controller", latest=f"{PREFIX} DIGEST\n")
    assert done.returncode == 0, done.stderr
    assert "-m clusterwright_node --configuration parallelcluster" in done.stdout
    assert "--group controller" in done.stdout


@pytest.mark.parametrize(
    "latest",
    ["", "s3://scripts/lifecycle/x DIGEST", f"{PREFIX} 0123", "file:///etc/ DIGEST", "a\nb\n"],
)
def test_what_says_no_version_is_refused(run: Run, latest: str) -> None:
    done = run("s3://scripts/latest", "latest", "controller", latest=latest)
    assert done.returncode == 1
    assert "does not say where the scripts are" in done.stderr


def test_scripts_that_are_not_those_of_the_version_are_refused(run: Run) -> None:
    done = run("s3://scripts/latest", "latest", "login", latest=f"{PREFIX} {'0' * 64}\n")
    assert done.returncode == 1
    assert "has the digest" in done.stderr


def test_an_object_that_is_not_there_is_named(run: Run) -> None:
    done = run("s3://scripts/latest", "latest", "controller")
    assert done.returncode == 1
    assert "s3://scripts/latest cannot be fetched: fatal error: 404" in done.stderr
