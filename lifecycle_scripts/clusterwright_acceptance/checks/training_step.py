"""A small training on each GPU: same seed, same data, so every GPU must have the same losses.

The losses are also a fact that is compared between the nodes of a group. PyTorch's deterministic
algorithms are on; the result depends on the GPU's model and the versions, which are equal there.
"""

from __future__ import annotations

import math
from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import running, torch_program
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, failed

ID = "training-step"
SECONDS = 290.0
SOURCE = "deterministic algorithms: equal GPUs with equal seeds have equal losses"

PROGRAM = """
import json, os, sys
os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
import torch
torch.use_deterministic_algorithms(True)
losses = []
for index in range(int(sys.argv[1])):
    torch.manual_seed(20261123)
    device = torch.device("cuda", index)
    layer = torch.nn.TransformerEncoderLayer(1024, 16, 4096, dropout=0.0, batch_first=True)
    model = torch.nn.Sequential(torch.nn.TransformerEncoder(layer, 4), torch.nn.Linear(1024, 1))
    data = torch.randn(8, 256, 1024)
    model, data = model.to(device), data.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    own = []
    for _ in range(50):
        loss = (model(data) - data.mean(2, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        own.append(float(loss).hex())
    losses.append(own)
print(json.dumps({"losses": losses}))
"""


def applies(expected: Expected) -> Optional[str]:
    return None if expected.kind == "nvidia" else "the type has no NVIDIA GPUs"


def look(probe: Probe, expected: Expected) -> Outcome:
    found = torch_program.run(probe, expected, PROGRAM, SECONDS)
    try:
        runs = [tuple(float.fromhex(word) for word in own) for own in found["losses"]]
    except (KeyError, TypeError, ValueError) as error:
        raise running.Unreadable("the PyTorch program printed no losses") from error
    if not runs or not all(runs):
        raise running.Unreadable("the PyTorch program printed no losses")
    last = runs[0][-1]
    shown = {"value": last, "unit": "loss", "source": SOURCE}
    for index, own in enumerate(runs):
        if not all(math.isfinite(loss) for loss in own):
            return failed(f"GPU {index}: a loss is not finite", "replace", **shown)
    if last >= runs[0][0]:
        return failed("the loss did not fall", "check", **shown)
    common = max(set(runs), key=runs.count)
    if runs.count(common) * 2 <= len(runs) and len(runs) > 1:
        return failed("the GPUs' losses differ, without a majority", "check", **shown)
    odd = [str(index) for index, own in enumerate(runs) if own != common]
    if odd:
        text = f"GPU {', '.join(odd)}: other losses than the {runs.count(common)} other GPUs"
        return failed(text, "replace", **shown)
    return Outcome("pass", facts={"losses": last.hex()}, **shown)  # type: ignore[arg-type]
