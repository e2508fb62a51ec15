"""prepare-data: sources, formats, the nodes, and what the job runs."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from clusterwright.job_templates.settings import SettingError
from clusterwright.job_templates.template import RefusedError
from tests.job_templates import node
from tests.job_templates.made import DIGEST, IMAGE, SPEC, findings, made_cluster, rendered

TOKENIZER = "/fsx/models/llama"


def text(cluster: Any = None, **given: str) -> str:
    base = {"source": "s3://acme/raw", "tokenizer": TOKENIZER}
    return rendered("prepare-data", cluster, **(base | given))


def test_s3_on_nodes_without_accelerators() -> None:
    found = text()
    head = found.partition("set -o")[0]
    assert "--partition=cpu\n" in head
    assert "--array=0-3\n" in head
    assert "--cpus-per-task=8\n" in head
    assert "--exclusive" not in head
    assert "The cluster has no compute group" not in found
    assert 'python3 "$RUN_PATH/prepare_data.py" download' in found
    assert '--megatron="$MEGATRON"' in found
    assert findings(found) == []


def test_nodes_with_accelerators_where_there_are_no_others() -> None:
    compute = [group for group in SPEC["compute"] if group["name"] in ("controller", "hopper")]
    slurm = SPEC["slurm"] | {"partitions": SPEC["slurm"]["partitions"][:1]}
    cluster = made_cluster(compute=compute, slurm=slurm)
    found = text(cluster)
    assert "# The cluster has no compute group without accelerators" in found
    assert findings(found, cluster) == []


def test_a_container_prepares_and_the_node_reads_s3() -> None:
    found = text(image=IMAGE, format="parquet")
    end = found.rpartition("\nfi\n")[2] or found
    assert 'python3 "$RUN_PATH/prepare_data.py" download' in end
    assert '--ntasks=1 \\\n  python "$RUN_PATH/prepare_data.py" prepare' in end
    assert "MEGATRON" not in end
    assert DIGEST[7:23] in found
    assert findings(found) == []


def test_a_hub() -> None:
    given = {"source": "hf://acme/texts", "hub": "https://hub.acme.test", "revision": "0a1b2c"}
    found = text(**given)
    assert "export HF_ENDPOINT=https://hub.acme.test\n" in found
    assert "  --revision=0a1b2c\n" in found
    with pytest.raises(RefusedError, match="hub is not stated"):
        text(source="hf://acme/texts")
    network = SPEC["network"] | {"egress": "closed"}
    with pytest.raises(RefusedError, match="the network is closed"):
        text(made_cluster(network=network), **given)


@pytest.mark.parametrize("source", ["https://host/file", "s3://", "s3://acme/../x", "raw"])
def test_other_sources(source: str) -> None:
    with pytest.raises(SettingError, match="is no place of data"):
        text(source=source)


def test_refused() -> None:
    with pytest.raises(RefusedError, match="needs the setting source"):
        rendered("prepare-data")
    with pytest.raises(RefusedError, match="no FSx for Lustre file system"):
        text(made_cluster(storage={}))
    with pytest.raises(SettingError, match="is more than max_words"):
        text(min_words="60", max_words="50")


def test_it_runs(tmp_path: Path) -> None:
    environment = tmp_path / "fsx/environments/prepare-data/bin"
    environment.mkdir(parents=True)
    (environment / "python").symlink_to(sys.executable)
    package = tmp_path / "packages"
    package.mkdir()
    (package / "tokenizers.py").write_text(
        "import types\n"
        "class Tokenizer:\n"
        "    from_file = classmethod(lambda cls, path: cls())\n"
        "    token_to_id = lambda self, token: 7\n"
        "    def encode_batch(self, batch, add_special_tokens):\n"
        "        return [types.SimpleNamespace(ids=[1] * len(t.split())) for t in batch]\n"
    )
    model = tmp_path / "fsx/models/llama"
    model.mkdir(parents=True)
    (model / "tokenizer.json").write_text("{}")
    (model / "tokenizer_config.json").write_text('{"eos_token": "<end>"}')
    (tmp_path / "fsx/raw").mkdir()
    (tmp_path / "fsx/raw/a.txt").write_text("five words are in it")
    found = text(source="/fsx/raw", format="tokens", min_words="5", tasks="1")
    for _ in range(2):
        done = node.run(
            found,
            tmp_path,
            SLURM_ARRAY_TASK_ID="0",
            PYTHONPATH=str(package),
            HOME=os.environ.get("HOME", "/"),
        )
        assert done.returncode == 0, done.stdout + done.stderr
    summary = json.loads((tmp_path / "fsx/data/tokens.work/summary.json").read_text())
    assert (summary["tokens"], summary["documents"], summary["complete"]) == (6, 1, True)
