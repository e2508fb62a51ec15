"""CW-J047: Jobs in a closed network download nothing from the internet."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, SPEC, fails, passes

CLOSED = {**SPEC, "network": {"availability_zone_id": "use1-az6", "egress": "closed"}}


@pytest.mark.parametrize(
    "text",
    [
        "pip install torch",
        "git clone https://github.com/a/b",
        "wget https://x.org/a",
        "hf download a/b",
        "apt-get install -y x",
        "srun --container-image=nvcr.io#nvidia/nemo:1 a",
    ],
)
def test_internet(text: str) -> None:
    fails("CW-J047", HEAD + text + "\n", CLOSED)
    passes("CW-J047", HEAD + text + "\n")


@pytest.mark.parametrize(
    "text",
    [
        "pip install --no-index --find-links /fsx/w torch",
        "pip install -e .",
        "curl -s http://169.254.169.254/latest",
        'curl --fail "http://$MASTER_ADDR:8000/health"',
        "export https_proxy=http://p:1\npip install torch",
        "srun --container-image=111122223333.dkr.ecr.us-east-1.amazonaws.com#a:1 b",
        "git status",
        "wget https://acme.s3.us-east-1.amazonaws.com/a",
    ],
)
def test_inside(text: str) -> None:
    passes("CW-J047", HEAD + text + "\n", CLOSED)
