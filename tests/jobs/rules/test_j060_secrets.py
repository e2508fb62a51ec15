"""CW-J060: The file contains no secrets."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

KEY = "hf_" + "a1B2" * 8


@pytest.mark.parametrize(
    "text",
    [
        f"export HF_TOKEN={KEY}",
        f"huggingface-cli login --token {KEY}",
        "export WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567",
        'export AWS_SECRET_ACCESS_KEY="' + "abcd/EFGH" * 4 + '"',
        "DB_PASSWORD=correcthorsebattery srun a",
    ],
)
def test_secret_is_reported_and_not_shown(text: str) -> None:
    found = fails("CW-J060", HEAD + text + "\n")
    assert found.position is not None
    shown = f"{found.message}{found.position.source_line}"
    assert not any(part in shown for part in (KEY, "0123456789", "abcd/EFGH", "correcthorse"))


@pytest.mark.parametrize(
    "text",
    [
        "export HF_TOKEN=$(cat ~/.hf)",
        "export HF_TOKEN=",
        "export WANDB_API_KEY=your-key-here",
        "export HF_TOKEN=${HF_TOKEN}",
        "export HF_TOKEN_PATH=/fsx/token",
        "export WANDB_API_KEY=<key>",
        "export TOKENIZER=llama",
        "export API_KEY=/fsx/secrets/key",
    ],
)
def test_no_secret(text: str) -> None:
    passes("CW-J060", HEAD + text + "\n")
