"""Silent data corruption: matrix products whose exact result is known, on every GPU.

The matrices hold small integers, so that every product and sum is exact in the format and any
order of summation gives the same bits. A single difference is a failure.
"""

from __future__ import annotations

from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import torch_program
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, failed

ID = "gemm"
SECONDS = 170.0
SOURCE = "exact arithmetic: sums of integer products below 2^24 in fp32 accumulation"

# Entries are -1, 0 or 1. In fp32 a sum of 4,096 of them is exact; for bfloat16, which holds
# integers up to 256, the first matrix has few entries. The sums of the product's rows and columns
# are known from the matrices' own sums, without another product.
PROGRAM = """
import json, sys, time
import torch
count, size = int(sys.argv[1]), 4096
wrong, products = {}, 0
ends = time.monotonic() + 30
generator = torch.Generator().manual_seed(20261123)
def ternary():
    return torch.randint(-1, 2, (size, size), generator=generator, dtype=torch.int64)
b = ternary()
dense = ternary()
sparse = dense * (torch.rand((size, size), generator=generator) < 1 / 32)
assert int(sparse.abs().sum(1).max()) <= 256
cases = []
for a, kind in ((dense, torch.float32), (sparse, torch.bfloat16)):
    rows = (a * b.sum(1)[None, :]).sum(1).double()
    columns = (a.sum(0)[:, None] * b).sum(0).double()
    cases.append((a, kind, rows, columns))
while products == 0 or time.monotonic() < ends:
    for index in range(count):
        device = torch.device("cuda", index)
        for a, kind, rows, columns in cases:
            z = (a.to(device, kind) @ b.to(device, kind)).double()
            bad = int((z.sum(1).cpu() != rows).sum()) + int((z.sum(0).cpu() != columns).sum())
            products += 1
            if bad:
                wrong[str(index)] = wrong.get(str(index), 0) + bad
print(json.dumps({"wrong": wrong, "products": products}))
"""


def applies(expected: Expected) -> Optional[str]:
    return None if expected.kind == "nvidia" else "the type has no NVIDIA GPUs"


def look(probe: Probe, expected: Expected) -> Outcome:
    found = torch_program.run(probe, expected, PROGRAM, SECONDS)
    products = float(found["products"])
    shown = {"value": products, "unit": "products", "source": SOURCE}
    if found["wrong"]:
        gpus = ", ".join(sorted(found["wrong"]))
        total = sum(found["wrong"].values())
        return failed(f"GPU {gpus}: {total} wrong sums: silent corruption", "replace", **shown)
    if not products:
        return failed("no product was computed in time", "check", **shown)
    return Outcome("pass", **shown)  # type: ignore[arg-type]
