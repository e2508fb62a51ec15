"""Memory of training, FLOPs, checkpoints and data sets."""

from __future__ import annotations

import math
from typing import Final

from clusterwright.sizing import memory, reliability
from clusterwright.sizing.datasets import corpus
from clusterwright.sizing.flops import six_n_d
from clusterwright.sizing.models import model
from tests.acceptance.planner_examples.prices import EC2_P5
from tests.acceptance.planner_examples.worked_example import Value, WorkedExample

YEAR: Final = 8760.0
PEAK: Final = 989.5e12
AT_40: Final = 0.4 * PEAK
SECONDS: Final = 86_400.0
_SIZES: Final = (7e9, 13e9, 70e9, 405e9)
C70: Final = six_n_d(70e9, 1.4e12)


def _interval_gb_per_s(state_gb: float, share: float) -> float:
    return state_gb / (15 * 60 * share)


EXAMPLES: Final = (
    WorkedExample(
        "memory-01",
        "correct",
        "6.4 M GPU h, 100 GPUs",
        "h / GPUs / 8,760",
        "64,000 h, about 7.3 years",
        (
            Value("hours", 6.4e6 / 100, 64_000, 64_000),
            Value("years", 6.4e6 / 100 / YEAR, 7.306, 7.3),
        ),
    ),
    WorkedExample(
        "memory-02",
        "incorrect",
        "6.7 M GPU h, one month",
        "h / 720",
        "1,250 H100",
        (Value("GPUs", math.ceil(6.7e6 / 720), 9306, 1250),),
        "the figure fits nodes of 8, not GPUs",
        (
            Value("nodes of 8", math.ceil(6.7e6 / 720 / 8), 1164),
            Value("months on 1,250 GPUs", 6.7e6 / 1250 / 720, 7.44),
        ),
    ),
    WorkedExample(
        "memory-03",
        "incorrect",
        "6.7 M GPU h, p5.48xlarge",
        "h / 8 x price",
        "about 44 billion yen",
        (Value("billion yen at 150", 6.7e6 / 8 * EC2_P5 * 150 / 1e9, 6.914, 44),),
        "every price comes from the catalogue, with its date",
        (
            Value("dollars", 6.7e6 / 8 * EC2_P5, 46_096_000),
            Value("at the price before June 2025", 6.7e6 / 8 * 98.32, 82_343_000),
        ),
    ),
    WorkedExample(
        "memory-04",
        "correct",
        "70e9 parameters, BF16",
        "N x 2 B",
        "140 GB; 140 GB",
        (
            Value("weights GB", 70e9 * memory.ADAM.weight_bytes / 1e9, 140, 140),
            Value("BF16 gradients GB", 70e9 * 2 / 1e9, 140, 140),
        ),
    ),
    WorkedExample(
        "memory-05",
        "other method",
        "70e9, two Adam moments in BF16",
        "N x 2 x 2 B",
        "280 GB",
        (Value("GB", 70e9 * 4 / 1e9, 280, 280),),
        "mixed precision keeps an FP32 master copy and FP32 moments",
        (Value("GB at 12 B", 70e9 * memory.ADAM.optimizer_bytes / 1e9, 840),),
    ),
    WorkedExample(
        "memory-06",
        "other method",
        "sum of weights, gradients, moments",
        "N x 8 B",
        "about 0.6 TB",
        (Value("GB", 70e9 * 8 / 1e9, 560, 600, 0.08),),
        "18 B per parameter with FP32 gradients, 16 B with BF16 ones",
        (
            Value(
                "GB at 18 B",
                70e9
                * (
                    memory.ADAM.weight_bytes
                    + memory.ADAM.gradient_bytes
                    + memory.ADAM.optimizer_bytes
                )
                / 1e9,
                1260,
            ),
            Value("GB at 16 B", 70e9 * 16 / 1e9, 1120),
        ),
    ),
    WorkedExample(
        "memory-07",
        "correct",
        "70e9 x {2, 4, 1} B",
        "",
        "BF16 140, FP32 280, FP8 70 GB",
        tuple(
            Value(f"GB at {b} B", 70e9 * b / 1e9, e, e) for b, e in ((2, 140), (4, 280), (1, 70))
        ),
    ),
    WorkedExample(
        "memory-08",
        "correct",
        "560 GB / 80 GB",
        "ceil",
        "7 GPUs (a lower bound without activations)",
        (Value("GPUs", math.ceil(560 / 80), 7, 7),),
    ),
    WorkedExample(
        "memory-09",
        "correct",
        "7 x {1.5, 2}",
        "",
        "1.5 to 2 times in practice",
        (Value("low", 7 * 1.5, 10.5, 10.5), Value("high", 7 * 2, 14, 14)),
    ),
    WorkedExample(
        "memory-10",
        "correct",
        "560 GB x 2 (FP32)",
        "",
        "about 1.2 TB",
        (Value("GB", 560 * 2, 1120, 1200, 0.08),),
    ),
    WorkedExample(
        "memory-11",
        "correct",
        "N 70e9, D 1.4e12",
        "6 N D",
        "588 x 10^21",
        (Value("FLOP", C70, 5.88e23, 588e21),),
    ),
    WorkedExample(
        "memory-12",
        "incorrect",
        "5.88e23 with an SI prefix",
        "",
        "588 exaFLOPS",
        (Value("zettaFLOP", C70 / 1e21, 588, 588 / 1000),),
        "wrong by 1,000, and a count, not a rate",
    ),
    WorkedExample(
        "memory-13",
        "other method",
        "5.88e23 at 1e15/s, one GPU",
        "C / rate",
        "about 19 years",
        (Value("years", C70 / 1e15 / SECONDS / 365, 18.65, 19),),
        "1 PFLOPS is above the dense BF16 peak of an H100, 989.5 TFLOPS",
        (Value("years at 40 % of peak", C70 / AT_40 / SECONDS / 365, 47.1),),
    ),
    WorkedExample(
        "memory-14",
        "other method",
        "the same on 1,000 GPUs",
        "",
        "about 7 days",
        (Value("days", C70 / 1e18 / SECONDS, 6.81, 7),),
        "as memory-13",
        (Value("days at 40 % of peak", C70 / AT_40 / 1000 / SECONDS, 17.2),),
    ),
    WorkedExample(
        "memory-15",
        "correct",
        "forward 2N, backward 4N",
        "",
        "6N train, 2N infer, ratio 1/3",
        (Value("train / N", six_n_d(1.0, 1.0), 6, 6), Value("ratio", 2 / 6, 1 / 3, 1 / 3)),
    ),
    WorkedExample(
        "memory-16",
        "incomplete",
        "41.6e9 x 7.9e12 against 70e9 x 1.4e12",
        "6 N D each",
        "total cost falls at 10^9 requests",
        (
            Value("FLOP", six_n_d(41.6e9, 7.9e12), 1.972e24),
            Value("times the training", six_n_d(41.6e9, 7.9e12) / C70, 3.35),
        ),
        "no request length is given; inference tokens to break even",
        (Value("tokens", (six_n_d(41.6e9, 7.9e12) - C70) / (2 * (70e9 - 41.6e9)), 2.436e13),),
    ),
    WorkedExample(
        "memory-17",
        "other method",
        "{7, 13, 70, 405}e9",
        "6 B x N",
        "42, 78, 420 GB, 2.43 TB",
        tuple(
            Value(f"{n / 1e9:.0f}B, GB", 6 * n / 1e9, e, e)
            for n, e in zip(_SIZES, (42, 78, 420, 2430), strict=True)
        ),
        "a full checkpoint is 14 bytes per parameter",
        tuple(
            Value(f"{n / 1e9:.0f}B, GB", memory.FULL_STATE_BYTES * n / 1e9, e)
            for n, e in zip(_SIZES, (98, 182, 980, 5670), strict=True)
        ),
    ),
    WorkedExample(
        "memory-18",
        "correct",
        "7B to 405B weights; moments",
        "2 B x N; 4 B x N",
        "the same",
        tuple(
            Value(f"{n / 1e9:.0f}B, GB", b * n / 1e9, e, e)
            for b, row in ((2, (14, 26, 140, 810)), (4, (28, 52, 280, 1620)))
            for n, e in zip(_SIZES, row, strict=True)
        ),
    ),
    WorkedExample(
        "memory-19",
        "incorrect",
        "420 + 560 GB for one 70B checkpoint",
        "sum; / 70e9",
        "parameters 420, optimizer 560 GB",
        (
            Value("weights GB", 2 * 70e9 / 1e9, 140, 420),
            Value("state GB", 12 * 70e9 / 1e9, 840, 560),
        ),
        "the sum is right, its terms are not",
        (Value("bytes per parameter", (420e9 + 560e9) / 70e9, memory.FULL_STATE_BYTES),),
    ),
    WorkedExample(
        "memory-20",
        "other method",
        "mean time to interruption 150 min",
        "M / 10",
        "15 min",
        (Value("minutes", reliability.tenth_hours(2.5) * 60, 15, 15),),
        "Young's sqrt(2 w M) depends on the save time w: M / 10 holds for w = M / 200 only",
        (
            Value("minutes for w = 45 s", float(reliability.young_hours(45 / 3600, 2.5)) * 60, 15),
            Value("minutes for w = 5 s", float(reliability.young_hours(5 / 3600, 2.5)) * 60, 5),
        ),
    ),
    WorkedExample(
        "memory-21",
        "correct",
        "15 TB + 3 x 420 GB",
        "sum",
        "16.3 TB",
        (Value("TB", 15 + 3 * 0.42, 16.26, 16.3),),
        "with 14 bytes per parameter",
        (Value("TB", 15 + 3 * 0.98, 17.94),),
    ),
    WorkedExample(
        "memory-22",
        "correct",
        "170 TB + 3 x 2.43 TB",
        "sum",
        "177 TB",
        (Value("TB", 170 + 3 * 2.43, 177.29, 177),),
        "with 14 bytes per parameter",
        (Value("TB", 170 + 3 * 5.67, 187.01),),
    ),
    WorkedExample(
        "memory-23",
        "other method",
        "2.43 TB, 15 min, 10 %",
        "S / (t (1 - o))",
        "3 GB/s",
        (Value("GB/s", _interval_gb_per_s(2430, 0.9), 3.0, 3),),
        "this spreads the write over the interval; a blocking save of 10 % has 90 s",
        (
            Value("GB/s blocking", _interval_gb_per_s(2430, 0.1), 27),
            Value("GB/s drained, 14 B", _interval_gb_per_s(5670, 0.9), 7.0),
            Value("GB/s blocking, 14 B", _interval_gb_per_s(5670, 0.1), 63),
        ),
    ),
    WorkedExample(
        "memory-24",
        "correct",
        "1,343 GB + 200 GB, 80 GB GPUs",
        "ceil(sum / 80)",
        "20 GPUs",
        (Value("GPUs", math.ceil(1543 / 80), 20, 20),),
    ),
    WorkedExample(
        "memory-25", "correct", "64 nodes x 8", "", "512 GPUs", (Value("GPUs", 64 * 8, 512, 512),)
    ),
    WorkedExample(
        "memory-26",
        "correct",
        "8 x 80 GB; 8 x 141 GB",
        "",
        "640; 1,128 GB",
        (Value("GB", 8 * 80, 640, 640), Value("GB", 8 * 141, 1128, 1128)),
    ),
    WorkedExample(
        "memory-27",
        "correct",
        "data set size / tokens",
        "bytes per token",
        "sizes and tokens only",
        tuple(
            Value(name, corpus(name).bytes_per_token, e)
            for name, e in (
                ("wikitext-103", 7.28),
                ("c4-en", 1.96),
                ("redpajama-1t", 5.00),
                ("redpajama-v2", 5.67),
                ("llm-jp-v3", 7.14),
                ("llm-jp-v4-ja", 4.93),
                ("swallow", 7.06),
            )
        ),
        "a range by language, not a constant",
    ),
    WorkedExample(
        "memory-28",
        "correct",
        "175e9 x 14 B (BLOOM)",
        "",
        "2.2 TB",
        (Value("TB", 175e9 * memory.FULL_STATE_BYTES / 1e12, 2.45, 2.2, 0.12),),
        "BLOOM has 176B",
        (Value("TB", memory.checkpoint_bytes(model("bloom-176b")) / 1e12, 2.46),),
    ),
    WorkedExample(
        "memory-29",
        "correct",
        "10 to 20 faults per day, thousands of hosts",
        "n / rate",
        "thousands",
        (Value("hosts for 10", 10 / 3.79e-3, 2639), Value("hosts for 20", 20 / 3.79e-3, 5277)),
    ),
)
