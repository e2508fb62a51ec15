"""vLLM: arguments, several nodes, and the health gate."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from clusterwright.job_templates.settings import SettingError
from clusterwright.job_templates.slurm import fragment
from clusterwright.job_templates.template import RefusedError
from tests.job_templates.framework_names import VLLM
from tests.job_templates.made import IMAGE, findings, rendered, shell

MODEL = "/fsx/models/llama"


def test_one_node() -> None:
    text = rendered("vllm", model=MODEL, max_model_len="8192")
    assert "#SBATCH --nodes=1\n" in text
    assert f"  vllm serve \\\n  {MODEL} \\\n" in text
    assert "--tensor-parallel-size=8 \\\n  --max-model-len=8192 &\n" in text
    assert "--headless" not in text
    assert findings(text) == []


def test_several_nodes_are_a_pipeline() -> None:
    text = rendered("vllm", model=MODEL, nodes="2", image=IMAGE)
    assert "--pipeline-parallel-size=2 \\\n  --nnodes=2 \\\n" in text
    assert 'if ((SLURM_PROCID > 0)); then\n  set -- "$@" --headless\n' in text
    assert findings(text) == []


def test_every_argument_is_one_of_vllm() -> None:
    text = rendered("vllm", model=MODEL, nodes="2", max_model_len="8192")
    step = text.partition("vllm_node.sh.new")[2]
    names = set(re.findall(r'(?:^  | |set -- "\$@" )(--[a-z-]+)', step, re.MULTILINE))
    of_others = {"--kill-on-bad-exit", "--cpus-per-task", "--ntasks-per-node", "--quiet"}
    assert names - of_others == VLLM


def test_a_key_is_read_from_a_file() -> None:
    text = rendered("vllm", model=MODEL, key_file="/fsx/keys/vllm")
    assert "VLLM_API_KEY=$(</fsx/keys/vllm)\n" in text
    assert "VLLM_API_KEY" not in rendered("vllm", model=MODEL)


def test_the_model_is_a_folder() -> None:
    with pytest.raises(RefusedError, match="vllm needs the setting model"):
        rendered("vllm")
    with pytest.raises(SettingError, match="an absolute path"):
        rendered("vllm", model="meta-llama/Llama-3.1-8B")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Stubs: Slurm's commands are recorded, `curl` answers as the file `answers` says."""
    for name, body in (
        ("scontrol", f'echo "scontrol $*" >>"{tmp_path}/calls"; echo node-1'),
        ("scancel", f'echo "scancel $*" >>"{tmp_path}/calls"'),
        ("curl", f'test -e "{tmp_path}/up"'),
        ("sleep", "exec /bin/sleep 0.05"),
    ):
        path = tmp_path / name
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)
    return tmp_path


def served(folder: Path, server: str, seconds: int = 60) -> subprocess.CompletedProcess[str]:
    text = "\n".join(
        [
            "set -o errexit -o nounset -o pipefail",
            fragment("common"),
            f"RUN_PATH={folder}/run PORT=8000 HEALTH_SECONDS={seconds}",
            fragment("serving"),
            "begin_serving",
            f"{{ {server}; }} &",
            "STEP_PID=$!",
            "serve",
        ]
    )
    return shell(text, folder, SLURM_JOB_ID="7", SLURM_JOB_NODELIST="node-[1-2]")


def test_the_address_is_there_while_the_server_is_healthy(folder: Path) -> None:
    address = folder / "run" / "address"
    done = served(
        folder,
        f"/bin/sleep 0.2; test -e {address} && echo too early; touch {folder}/up; "
        f"/bin/sleep 0.5; cp {address} {folder}/seen; exit 5",
    )
    assert done.returncode == 5, done.stderr
    assert "too early" not in done.stdout
    assert (folder / "seen").read_text() == "http://node-1:8000\n"
    assert not address.exists()
    assert "scontrol requeue 7" in (folder / "calls").read_text()


def test_a_server_that_ends_before_it_is_healthy_is_not_requeued(folder: Path) -> None:
    done = served(folder, "exit 1")
    assert done.returncode == 95
    assert "ended before it was healthy" in done.stdout
    assert "requeue" not in (folder / "calls").read_text()


def test_a_server_that_is_not_healthy_in_time(folder: Path) -> None:
    done = served(folder, "/bin/sleep 1", seconds=0)
    assert done.returncode == 95
    assert "was not healthy within 0 s" in done.stdout
    assert "scancel --signal=TERM 7" in (folder / "calls").read_text()


def test_a_server_that_no_longer_answers_is_started_again(folder: Path) -> None:
    (folder / "up").touch()
    done = served(folder, f"/bin/sleep 0.3; rm {folder}/up; /bin/sleep 1")
    assert done.returncode == 95
    assert "does not answer any more: requeued" in done.stdout
    assert "scontrol requeue 7" in (folder / "calls").read_text()
    assert not (folder / "run" / "address").exists()
