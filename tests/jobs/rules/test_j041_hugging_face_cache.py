"""CW-J041: The Hugging Face cache is on Lustre or NVMe."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    "text",
    [
        "export HF_HOME=$HOME/hf",
        "export HF_DATASETS_CACHE=/tmp/hf",
        "export TRANSFORMERS_CACHE=~/c",
        "huggingface-cli download meta-llama/Llama-3.1-8B",
    ],
)
def test_elsewhere(text: str) -> None:
    assert "/fsx" in (fails("CW-J041", HEAD + text + "\n").hint or "")


@pytest.mark.parametrize(
    "text",
    [
        "export HF_HOME=/fsx/hf\nhf download a/b",
        "export HF_HOME=/scratch/hf",
        "srun torchrun train.py",
        "hf download a/b --local-dir /fsx/b",
        'export HF_HOME="${HF_HOME:-/fsx/hf}"',
    ],
)
def test_lustre_or_nvme(text: str) -> None:
    passes("CW-J041", HEAD + text + "\n")


@pytest.mark.parametrize(
    "text",
    [
        "srun torchrun sft.py --model_name_or_path meta-llama/Llama-3.1-8B",
        "srun torchrun sft.py --model_name_or_path=meta-llama/Llama-3.1-8B",
        "trl sft --model_name_or_path Qwen/Qwen3-8B --dataset_name /fsx/data",
        "srun accelerate launch sft.py --dataset_name HuggingFaceH4/ultrachat_200k",
        "srun vllm serve Qwen/Qwen3-8B --tensor-parallel-size 8",
        "MODEL=Qwen/Qwen3-8B\nsrun vllm serve $MODEL",
        "srun python -m vllm.entrypoints.openai.api_server --model Qwen/Qwen3-8B",
        "srun lm_eval --model hf --model_args pretrained=Qwen/Qwen3-8B,dtype=bfloat16",
        "python -m sglang.launch_server --model-path Qwen/Qwen3-8B",
        "python -c 'import t; t.AutoModel.from_pretrained(\"Qwen/Qwen3-8B\")'",
        "srun bash -c 'vllm serve Qwen/Qwen3-8B'",
        "cat > a.py <<'E'\nm = AutoModel.from_pretrained('Qwen/Qwen3-8B')\nE\nsrun python a.py",
        "export HF_HUB_OFFLINE=1\nsrun vllm serve Qwen/Qwen3-8B",
        "export TORCH_HOME=/fsx/t\nsrun vllm serve Qwen/Qwen3-8B",
        "source /fsx/venv/bin/activate\nsrun vllm serve Qwen/Qwen3-8B",
        "ln -sfn ~/hf ~/.cache/huggingface\nsrun vllm serve Qwen/Qwen3-8B",
        "ln -sfn /fsx/hf ~/.cache/other\nsrun vllm serve Qwen/Qwen3-8B",
    ],
)
def test_a_model_of_the_hub_without_a_cache_on_lustre(text: str) -> None:
    found = fails("CW-J041", HEAD + text + "\n")
    assert "is loaded through ~/.cache/huggingface" in found.message
    assert "/fsx" in (found.hint or "")


@pytest.mark.parametrize(
    "text",
    [
        "export HF_HOME=/fsx/hf\nsrun vllm serve Qwen/Qwen3-8B",
        "HF_HOME=/fsx/hf srun vllm serve Qwen/Qwen3-8B",
        "export HF_HUB_CACHE=/fsx/hf\nsrun torchrun s.py --model_name_or_path a/b",
        "srun --export=ALL,HF_HOME=/fsx/hf vllm serve Qwen/Qwen3-8B",
        "srun vllm serve /fsx/models/qwen",
        "srun vllm serve models/qwen",
        "srun torchrun sft.py --model_name_or_path ./a/b",
        "srun torchrun sft.py --model_name_or_path checkpoints/final",
        "srun torchrun sft.py --model_name_or_path a/b --cache_dir /fsx/hf",
        "srun vllm serve a/b --download-dir /fsx/hf",
        "srun vllm serve $MODEL",
        "srun torchrun train.py --model llama/8b",
        "cd /fsx/proj\nsrun torchrun train.py --tokenizer_name assets/llama3",
        "srun torchrun train.py --model_name_or_path pretrained/llama3",
        "ln -sfn /fsx/hf ~/.cache/huggingface\nsrun vllm serve Qwen/Qwen3-8B",
        "srun ln -s /fsx/hf $HOME/.cache/huggingface/hub\nsrun vllm serve Qwen/Qwen3-8B",
        "cd ~/.cache\nln -s /fsx/hf huggingface\nsrun vllm serve Qwen/Qwen3-8B",
        "ln -s /fsx/huggingface ~/.cache/\nsrun vllm serve Qwen/Qwen3-8B",
        "sudo mount --bind /fsx/hf ~/.cache/huggingface\nhf download a/b",
        "srun --container-image=/fsx/a.sqsh vllm serve Qwen/Qwen3-8B",
        "source /fsx/env.sh\nsrun vllm serve Qwen/Qwen3-8B",
        "export HOME=/fsx/me\nsrun vllm serve Qwen/Qwen3-8B",
        "cat > a.py <<'E'\nM.from_pretrained('a/b', cache_dir='/fsx/hf')\nE\nsrun python a.py",
        "cat > a.py <<'E'\nM.from_pretrained('/fsx/b')\nE\nsrun python a.py",
    ],
)
def test_a_cache_on_lustre_or_not_known(text: str) -> None:
    passes("CW-J041", HEAD + text + "\n")
