"""`clusterwright render images`: Dockerfiles, in which everything is pinned."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from clusterwright.container_images.stacks import STACKS
from tests.support import specs
from tests.support.command_line import Answer, clusterwright
from tools.lint.files import ROOT

LIST = ROOT / "images/artefacts.json"
P5 = ROOT / "configs/examples/p5-8.yaml"
DIGEST = "sha256:" + "0123456789abcdef" * 4
BASE = f"nvcr.io/nvidia/cuda@{DIGEST}"
GPU_STACKS = [stack for stack in STACKS if stack.accelerators == "nvidia"]
BASES = tuple(f"--base={stack.name}={BASE}" for stack in STACKS)


@pytest.fixture
def pinned(tmp_path: Path) -> Path:
    """The list with a checksum for every archive."""
    document = json.loads(LIST.read_text())
    for number, row in enumerate(document["artefacts"]):
        row |= {"sha256": f"{number:064x}", "size_bytes": 1}
    path = tmp_path / "pinned.json"
    path.write_text(json.dumps(document))
    return path


def run(*words: str | Path, spec: Path = P5) -> Answer:
    return clusterwright("render", "images", spec, *words)


def test_every_image_is_written_and_downloads_nothing_unpinned(
    tmp_path: Path, pinned: Path
) -> None:
    answer = run("--lock", pinned, "--output", tmp_path / "out", *BASES)
    assert (answer.exit_code, answer.err) == (0, "")
    written = {str(path.relative_to(tmp_path / "out")) for path in tmp_path.glob("out/*/*")}
    assert written == {f"{stack.name}/Dockerfile" for stack in GPU_STACKS} | {
        f"{stack.name}/requirements.txt" for stack in GPU_STACKS if stack.requirements
    } | {"evaluation/sources.txt"}
    for stack in GPU_STACKS:
        text = (tmp_path / f"out/{stack.name}/Dockerfile").read_text()
        assert f"\nFROM {BASE}\n" in text
        added = re.findall(r"^ADD --checksum=sha256:[0-9a-f]{64} https://\S+ \S+$", text, re.M)
        assert len(added) == len(stack.archives) == text.count("ADD ")
        assert not re.search(r"\b(curl|wget|git clone)\b", text)
        assert "{" not in text.replace("${", "")
        if stack.requirements:
            assert "pip install --no-cache-dir --require-hashes" in text
    packages_of = {"pytorch": "torch", "trl": "trl", "vllm": "vllm", "evaluation": "lm-eval"}
    for name, package in packages_of.items():
        packages = (tmp_path / f"out/{name}/requirements.txt").read_text()
        assert f"\n{package}==" in packages
        assert "://" not in packages


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ("configs/examples/p5-8.yaml", "-gencode=arch=compute_90,code=sm_90"),
        (
            "configs/examples/full-hyperpod-slurm.yaml",
            "-gencode=arch=compute_90,code=sm_90",
        ),
    ],
)
def test_nccl_is_compiled_for_the_gpus(
    spec: str, wanted: str, tmp_path: Path, pinned: Path
) -> None:
    words = ("--lock", pinned, "--image", "nccl-tests", "--output", tmp_path, BASES[0])
    assert run(*words, spec=ROOT / spec).exit_code == 0
    text = (tmp_path / "nccl-tests/Dockerfile").read_text()
    assert set(re.findall(r'NVCC_GENCODE="(.*?)"', text)) == {wanted}


def test_what_is_not_pinned_is_refused(tmp_path: Path, pinned: Path) -> None:
    one = ("--image", "pytorch", "--output", tmp_path / "out")
    answer = run("--lock", LIST, *one, *BASES[1:2])
    assert answer.exit_code == 3
    assert "the checksum of efa-installer 1.43.2 (x86_64) is unknown" in answer.err
    assert f"`clusterwright artefacts pin --lock {LIST}`, then review the file" in answer.err
    for words in ((), ("--base", "pytorch=nvcr.io/nvidia/cuda:13.0.0-devel-ubuntu24.04")):
        answer = run("--lock", pinned, *one, *words)
        assert answer.exit_code == 3
        assert "pytorch: the digest of the base image is unknown" in answer.err
    assert not (tmp_path / "out").exists()


def test_wrong_use_is_refused(tmp_path: Path, pinned: Path) -> None:
    output = ("--output", tmp_path / "out")
    assert "one of nccl-tests, pytorch" in run("--image", "tgi", *output).err
    assert "is not NAME=IMAGE" in run("--base", "other=x", *output).err
    assert "--output is missing" in run().err
    assert "does not exist" in run("--lock", tmp_path / "no.json", *output, *BASES).err
    trainium = ROOT / "configs/examples/trn2-1.yaml"
    answer = run("--lock", pinned, *output, "--image", "vllm", spec=trainium)
    assert "vllm: the spec has no group with NVIDIA GPUs" in answer.err
    answer = run("--lock", pinned, *output, "--image", "neuron")
    assert "neuron: the spec has no group with Trainium or Inferentia" in answer.err


def test_a_cluster_of_trainium_has_its_image(tmp_path: Path, pinned: Path) -> None:
    spec = ROOT / "configs/examples/trn2-1.yaml"
    output = ("--lock", pinned, "--output", tmp_path / "out")
    answer = run(*output, spec=spec)
    assert answer.exit_code == 3
    assert "neuron: the digest of the base image is unknown" in answer.err
    answer = run(*output, *BASES, spec=spec)
    assert (answer.exit_code, answer.err) == (0, "")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["neuron"]
    assert "efa_installer.sh" in (tmp_path / "out/neuron/Dockerfile").read_text()


def test_the_list_of_images() -> None:
    answer = run("--list")
    assert [line.partition(":")[0] for line in answer.out.splitlines()] == [
        stack.name for stack in STACKS
    ]


def test_the_repository_of_the_spec_is_named(tmp_path: Path, pinned: Path) -> None:
    spec = specs.write(
        tmp_path / "spec.yaml",
        specs.changed({"storage.image_repositories": [{"name": "team/pytorch", "create": True}]}),
    )
    output = tmp_path / "out"
    answer = run("--lock", pinned, "--output", output, *BASES, spec=spec)
    (push,) = [line for line in answer.out.splitlines() if line.startswith("push with: ")]
    assert push == (
        "push with: docker buildx build --tag "
        f"{specs.ACCOUNT}.dkr.ecr.us-east-1.amazonaws.com/team/pytorch:TAG --push {output}/pytorch"
    )
