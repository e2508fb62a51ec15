"""`on_node_configured.sh` without a version in its arguments: the latest one is looked up."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from stacks.lifecycle import scripts

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
    """Run the script on a machine with a bucket; `sleep` takes no time."""
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


def test_latest_version_is_run(run: Run) -> None:
    done = run("s3://scripts/latest", "latest", "controller", latest=f"{PREFIX} DIGEST\n")
    assert done.returncode == 0, done.stderr
    assert "-m clusterwright_node --configuration parallelcluster" in done.stdout
    assert "--group controller" in done.stdout


@pytest.mark.parametrize(
    "latest",
    ["", "s3://scripts/lifecycle/x DIGEST", f"{PREFIX} 0123", "file:///etc/ DIGEST", "a\nb\n"],
)
def test_file_without_a_version_is_refused(run: Run, latest: str) -> None:
    done = run("s3://scripts/latest", "latest", "controller", latest=latest)
    assert done.returncode == 1
    assert "does not say where the scripts are" in done.stderr


def test_scripts_of_another_version_are_refused(run: Run) -> None:
    done = run("s3://scripts/latest", "latest", "login", latest=f"{PREFIX} {'0' * 64}\n")
    assert done.returncode == 1
    assert "has the digest" in done.stderr


def test_missing_object_is_reported(run: Run) -> None:
    done = run("s3://scripts/latest", "latest", "controller")
    assert done.returncode == 1
    assert "s3://scripts/latest cannot be fetched: fatal error: 404" in done.stderr


@pytest.fixture
def folder(run: Run, tmp_path: Path) -> Path:
    """The scripts in the bucket."""
    del run
    return tmp_path / "s3" / PREFIX.removeprefix("s3://")


def version(folder: Path) -> str:
    return hashlib.sha256((folder / "manifest.sha256").read_bytes()).hexdigest()


def test_deployment_json_is_not_in_the_manifest(run: Run, folder: Path) -> None:
    (folder / "deployment.json").write_text("{}")
    done = run(PREFIX, version(folder), "workers")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("--group") == 1


def test_compute_resources_of_a_queue_are_passed(run: Run, folder: Path) -> None:
    done = run(PREFIX, version(folder), "a=workers-a", "b=workers-b")
    assert done.returncode == 0, done.stderr
    assert "--group a=workers-a --group b=workers-b" in done.stdout


def test_changed_script_is_refused_and_named(run: Run, folder: Path) -> None:
    (folder / "cluster.json").write_text('{"changed": true}')
    done = run(PREFIX, version(folder), "workers")
    assert done.returncode == 1
    assert "cluster.json: FAILED" in done.stdout
    assert "are not those of the deployment" in done.stderr
    assert "clusterwright_node" not in done.stdout


@pytest.mark.parametrize("name", ["site_steps/evil.py", ".hidden", "a b.py", "x/deployment.json"])
def test_additional_file_is_refused(run: Run, folder: Path, name: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("import os\n")
    done = run(PREFIX, version(folder), "workers")
    assert done.returncode == 1
    assert "holds what the deployment did not put there" in done.stderr
    assert name.rpartition("/")[2].split(" ")[0] in done.stderr
    assert "clusterwright_node" not in done.stdout


def test_missing_script_is_refused(run: Run, folder: Path) -> None:
    (folder / "cluster.json").unlink()
    done = run(PREFIX, version(folder), "workers")
    assert done.returncode == 1
    assert "are not those of the deployment" in done.stderr


@pytest.mark.parametrize("text", ["", "nonsense\n", "0123  cluster.json\n"])
def test_empty_manifest_is_refused(run: Run, folder: Path, text: str) -> None:
    (folder / "manifest.sha256").write_text(text)
    done = run(PREFIX, version(folder), "workers")
    assert done.returncode == 1
    assert "clusterwright_node" not in done.stdout


def test_empty_prefix_is_reported(run: Run, folder: Path) -> None:
    digest = version(folder)
    for path in folder.iterdir():
        path.unlink()
    done = run(PREFIX, digest, "workers")
    assert done.returncode == 1
    assert f"{PREFIX} has no manifest.sha256" in done.stderr


def test_files_of_an_interrupted_run_are_ignored(run: Run, folder: Path, tmp_path: Path) -> None:
    left = tmp_path / "root/run/clusterwright/custom-action"
    left.mkdir(parents=True)
    (left / "half-of-a-file.py").write_text("")
    done = run(PREFIX, version(folder), "workers")
    assert done.returncode == 0, done.stderr
    assert not (left / "half-of-a-file.py").exists()
    assert left.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("words", [(), ("s3://b/p/",), ("s3://b/p/", "0" * 64)])
def test_missing_arguments_are_reported_on_both_streams(run: Run, words: tuple[str, ...]) -> None:
    done = run(*words)
    assert done.returncode == 3
    assert "and 3 are wanted" in done.stderr
    assert done.stdout == done.stderr


def test_machine_outside_parallelcluster_is_refused(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "root/etc/parallelcluster/cfnconfig").unlink()
    done = run(PREFIX, version(folder), "workers")
    assert done.returncode == 1
    assert "cfnconfig cannot be read" in done.stderr


def test_manifest_of_the_stacks_is_accepted(run: Run, folder: Path) -> None:
    """The real folder, with the manifest of the stacks."""
    for path in scripts.script_files(scripts.FOLDER):
        target = folder / path.relative_to(scripts.FOLDER)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    texts = {"cluster.json": '{"a": 1}\n', "site_steps/mine.py": "X = 1\n"}
    texts |= scripts.diagnosis_files()
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    manifest = scripts.manifest(texts)
    (folder / "manifest.sha256").write_text(manifest)
    done = run(PREFIX, scripts.sha256(manifest), "workers")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "on_node_configured.sh" in manifest
    assert len(manifest.splitlines()) > 100
