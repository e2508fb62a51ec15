"""Cost of training: buying, renting, GPU-hours, days."""

from __future__ import annotations

from typing import Final

from clusterwright.catalog import Known, load_catalog
from clusterwright.sizing import memory
from clusterwright.sizing.datasets import chinchilla_tokens
from clusterwright.sizing.flops import six_n_d
from tests.acceptance.planner_examples.memory_and_checkpoints import AT_40, PEAK, SECONDS, YEAR
from tests.acceptance.planner_examples.worked_example import Value, WorkedExample

_A100: Final = 150e12
_DAY: Final = SECONDS
_WEEK: Final = 7 * _DAY
_YEAR_S: Final = 365 * _DAY
_CATALOG: Final = load_catalog()


def _memory_gib(accelerator: str) -> float:
    found = _CATALOG.accelerator(accelerator)
    assert found is not None
    assert isinstance(found.memory_gib, Known)
    return float(found.memory_gib.value)


def _optimal(params: float) -> float:
    return six_n_d(params, chinchilla_tokens(params))


def _days(params: float, tokens: float, rate: float) -> float:
    return six_n_d(params, tokens) / rate / _DAY


_C100: Final = _optimal(100e9)
_RATE_1000: Final = _C100 / (90 * _DAY) / 1000
_A6000_FP32: Final = 0.4 * 38e12
_A6000: Final = 0.4 * 154.8e12

EXAMPLES: Final = (
    WorkedExample(
        "cost-01",
        "correct",
        "300 yen/h x 8 h x 20 d",
        "",
        "48,000 yen",
        (Value("yen a month", 300 * 8 * 20, 48_000, 48_000),),
    ),
    WorkedExample(
        "cost-02",
        "correct",
        "x 12; x 36",
        "",
        "about 600,000; 1,730,000 yen",
        (
            Value("yen a year", 48_000 * 12, 576_000, 600_000),
            Value("yen in three", 48_000 * 36, 1_728_000, 1_730_000),
        ),
    ),
    WorkedExample(
        "cost-03",
        "correct",
        "1,800,000 + 36 x 10,000 yen",
        "",
        "2,160,000 yen",
        (Value("yen", 1_800_000 + 36 * 10_000, 2_160_000, 2_160_000),),
    ),
    WorkedExample(
        "cost-04",
        "incorrect",
        "break-even at 160 h a month",
        "1.8e6 / 48,000",
        "three years",
        (Value("months with power", 1.8e6 / 38_000, 47.4, 36),),
        "the table of the claim has the cloud cheaper at three years",
        (Value("months without power", 1.8e6 / 48_000, 37.5),),
    ),
    WorkedExample(
        "cost-05",
        "correct",
        "break-even use over three years",
        "2,160,000 / 36 / 300",
        "8 h a day is about equal",
        (
            Value("hours a month", 2_160_000 / 36 / 300, 200, 8 * 25),
            Value("24 x 7 in the cloud, yen", 300 * YEAR * 3, 7_884_000),
        ),
    ),
    WorkedExample(
        "cost-06",
        "other method",
        "400 W, 10,000 yen a month",
        "kWh",
        "10,000 yen",
        (Value("yen a month at 34 yen/kWh and 730 h", 0.4 * 730 * 34.2466, 10_000, 10_000),),
        "power is watts x hours x tariff: 160 hours are not 730",
        (Value("kWh at 160 h", 0.4 * 160, 64), Value("kWh at 730 h", 0.4 * 730, 292)),
    ),
    WorkedExample(
        "cost-07",
        "incorrect",
        "8 x 700 W x 720 h",
        "",
        "tens of thousands of yen a month",
        (Value("yen at 30 yen/kWh", 8 * 0.7 * 720 * 30, 120_960, 50_000),),
        "above 24.8 yen/kWh it is over a hundred thousand",
        (Value("kWh", 8 * 0.7 * 720, 4032), Value("yen/kWh for 100,000", 100_000 / 4032, 24.8)),
    ),
    WorkedExample(
        "cost-08",
        "other method",
        "7e9 FP16: weights, gradients, AdamW",
        "2, 2, 4 B x N",
        "14, 14, 28 GB; 56 GB and activations",
        (Value("GB", 8 * 7e9 / 1e9, 56, 56),),
        "18 bytes per parameter before activations",
        (
            Value(
                "GB",
                7e9
                * (
                    memory.ADAM.weight_bytes
                    + memory.ADAM.gradient_bytes
                    + memory.ADAM.optimizer_bytes
                )
                / 1e9,
                126,
            ),
        ),
    ),
    WorkedExample(
        "cost-09",
        "correct",
        "7e9 x 20 tokens",
        "",
        "140 billion",
        (Value("tokens", chinchilla_tokens(7e9), 1.4e11, 140e9),),
    ),
    WorkedExample(
        "cost-10",
        "incorrect",
        "7B at 140e9 tokens on one A100, 100 to 150 TFLOPS",
        "6 N D",
        "several years",
        (Value("years at 100", _optimal(7e9) / 100e12 / _YEAR_S, 1.86, 3),),
        "overstated",
        (
            Value("FLOP", _optimal(7e9), 5.88e21),
            Value("years at 150", _optimal(7e9) / _A100 / _YEAR_S, 1.24),
        ),
    ),
    WorkedExample(
        "cost-11",
        "other method",
        "600, 64, 12.5, 1.25 / 900 GB/s",
        "",
        "0.67, 0.07, 0.014, 0.0014",
        tuple(
            Value(f"{s:g}", s / 900, e, t)
            for s, e, t in (
                (600, 0.667, 0.67),
                (64, 0.0711, 0.07),
                (12.5, 0.0139, 0.014),
                (1.25, 0.00139, 0.0014),
            )
        ),
        "900 and 600 count both directions, the others one: Clusterwright counts one direction",
        (Value("PCIe 5 like for like", 128 / 900, 0.142),),
    ),
    WorkedExample(
        "cost-12",
        "other method",
        "NVLink is 10 times PCIe",
        "900/64; 600/32",
        "10 times",
        (Value("H100", 900 / 64, 14.1, 10, 0.5), Value("A100", 600 / 32, 18.8, 10, 0.5)),
        "as cost-11",
        (Value("H100 like for like", 900 / 128, 7.03), Value("A100", 600 / 64, 9.375)),
    ),
    WorkedExample(
        "cost-13",
        "correct",
        "GPT-3 175e9 x 20",
        "",
        "3.5 trillion",
        (Value("tokens", chinchilla_tokens(175e9), 3.5e12, 3.5e12),),
    ),
    WorkedExample(
        "cost-14",
        "correct",
        "Chinchilla 10B, 70B, 100B",
        "D = 20 N; C = 6 N D",
        "1.2e22, 5.9e23, 1.2e24; 1, 50, 100 times",
        tuple(
            v
            for n, c, t, r, rt in (
                (10e9, 1.2e22, 1.2e22, 1, 1),
                (70e9, 5.88e23, 5.9e23, 49, 50),
                (100e9, 1.2e24, 1.2e24, 100, 100),
            )
            for v in (
                Value(f"{n / 1e9:.0f}B, FLOP", _optimal(n), c, t),
                Value("times", _optimal(n) / _optimal(10e9), r, rt),
            )
        ),
    ),
    WorkedExample(
        "cost-15",
        "correct",
        "the same, one A100 at 150 TFLOPS",
        "",
        "2.5; 125; 250 years",
        tuple(
            Value(f"{n / 1e9:.0f}B, years", _optimal(n) / _A100 / _YEAR_S, e, t)
            for n, e, t in ((10e9, 2.54, 2.5), (70e9, 124.3, 125), (100e9, 253.7, 250))
        ),
    ),
    WorkedExample(
        "cost-16",
        "correct",
        "0.3 and 0.5 x 312 TFLOPS",
        "",
        "100 to 150",
        (Value("low", 0.3 * 312, 93.6, 100, 0.08), Value("high", 0.5 * 312, 156, 150)),
    ),
    WorkedExample(
        "cost-17",
        "correct",
        "100B in 90 d on A100 at 150 TFLOPS",
        "C / (rate x t)",
        "about 1,000",
        (Value("GPUs", _C100 / _A100 / (90 * _DAY), 1029, 1000),),
    ),
    WorkedExample(
        "cost-18",
        "incorrect",
        "100B in 90 d on 1,000 H100",
        "rate needed",
        "1,000 H100 needed",
        (Value("GPUs at 40 % of peak", _C100 / AT_40 / (90 * _DAY), 390, 1000),),
        "repeats the A100 figure",
        (
            Value("TFLOPS needed of 1,000", _RATE_1000 / 1e12, 154),
            Value("share of peak", _RATE_1000 / PEAK, 0.156),
        ),
    ),
    WorkedExample(
        "cost-19",
        "incorrect",
        "100B in 90 d on 100 H100",
        "rate needed",
        "possible in three months",
        (
            Value(
                "days at 80.3 % of peak, the matmul ceiling",
                _C100 / (100 * 0.803 * PEAK) / _DAY,
                174.8,
                90,
            ),
        ),
        "impossible: above the peak",
        (
            Value("TFLOPS needed of each", 10 * _RATE_1000 / 1e12, 1543),
            Value("share of peak", 10 * _RATE_1000 / PEAK, 1.56),
        ),
    ),
    WorkedExample(
        "cost-20",
        "correct",
        "100B on 1,000 H100 at 40 %",
        "",
        "weeks",
        (Value("days", _C100 / (1000 * AT_40) / _DAY, 35.1),),
    ),
    WorkedExample(
        "cost-21",
        "correct",
        "2,048 x 24 x 23",
        "",
        "1.13 M",
        (Value("GPU h", 2048 * 24 * 23, 1_130_496, 1.13e6),),
    ),
    WorkedExample(
        "cost-22",
        "correct",
        "1.13 M x $3",
        "",
        "$3.4 M; about 500 M yen",
        (
            Value("dollars", 1.13e6 * 3, 3.39e6, 3.4e6),
            Value("yen at 150", 1.13e6 * 3 * 150, 508.5e6, 500e6),
        ),
    ),
    WorkedExample(
        "cost-23",
        "correct",
        "184,000 x $3",
        "x 150",
        "about 85 M yen",
        (Value("yen", 184_000 * 3 * 150, 82.8e6, 85e6),),
    ),
    WorkedExample(
        "cost-24",
        "correct",
        "2.788 M x $2",
        "",
        "$5.6 M; about 800 M yen",
        (
            Value("dollars", 2.788e6 * 2, 5.576e6, 5.6e6),
            Value("yen at 150", 2.788e6 * 2 * 150, 836.4e6, 800e6),
        ),
    ),
    WorkedExample(
        "cost-25",
        "incorrect",
        "3,072 x 2.5 x 730 x $3 x 150",
        "",
        "about 1.5 billion yen",
        (Value("yen", 3072 * 2.5 * 730 * 3 * 150, 2.523e9, 1.5e9),),
        "implies $1.78",
        (
            Value("GPU h", 3072 * 2.5 * 730, 5.606e6),
            Value("dollars implied", 1.5e9 / 150 / (3072 * 2.5 * 730), 1.784),
        ),
    ),
    WorkedExample(
        "cost-26",
        "correct",
        "ratios 671/132, 14.8/12, 2,048/3,072, 2/2.5, 8/15",
        "",
        "5.1, 1.2, 0.67, 0.8, 0.53",
        tuple(
            Value(w, r, e, s)
            for w, r, e, s in (
                ("parameters", 671 / 132, 5.08, 5.1),
                ("tokens", 14.8 / 12, 1.23, 1.2),
                ("GPUs", 2048 / 3072, 0.667, 0.67),
                ("months", 2 / 2.5, 0.80, 0.8),
                ("cost", 8 / 15, 0.533, 0.53),
            )
        ),
    ),
    WorkedExample(
        "cost-27", "correct", "671/37", "", "1/18", (Value("times", 671 / 37, 18.1, 18),)
    ),
    WorkedExample(
        "cost-28",
        "incorrect",
        "GPU-weeks per 1B for 70B Chinchilla",
        "6 N D / 150 TFLOPS",
        "about 1,000",
        (Value("GPU-weeks per 1B", _optimal(70e9) / _A100 / _WEEK / 70, 92.6, 1000),),
        "10.8 times too much, and not constant: it grows with the size of the model",
        (
            Value("10B", _optimal(10e9) / _A100 / _WEEK / 10, 13.2),
            Value("100B", _optimal(100e9) / _A100 / _WEEK / 100, 132.3),
        ),
    ),
    WorkedExample(
        "cost-29",
        "correct",
        "7 M yen per 1B at $3, 150 yen",
        "/ 150 / 3 / 168",
        "7 M yen",
        (Value("GPU-weeks", 7e6 / 150 / 3 / 168, 92.6, _optimal(70e9) / _A100 / _WEEK / 70),),
        "for 70B only; 1,000 GPU-weeks would be",
        (Value("M yen", 1000 * 168 * 3 * 150 / 1e6, 75.6),),
    ),
    WorkedExample(
        "cost-30",
        "incorrect",
        "1.4e12 / {1e11, 2e11}",
        "",
        "1/10 to 1/7",
        (Value("one part in", 1.4e12 / 1e11, 14, 10),),
        "1/14 to 1/7",
        (Value("one part in", 1.4e12 / 2e11, 7),),
    ),
    WorkedExample(
        "cost-31",
        "correct",
        "{7, 13, 70, 405}e9 x {2, 1, 0.5} B",
        "",
        "14/7/3.5; 26/13/6.5; 140/70/35; 810/405/200 GB",
        tuple(
            Value(f"{n}B, {p}", n * memory.QUANTISED_BYTES[p], e, t)
            for n, row in (
                (7, (14, 7, 3.5)),
                (13, (26, 13, 6.5)),
                (70, (140, 70, 35)),
                (405, (810, 405, 202.5)),
            )
            for p, e, t in zip(
                ("bf16", "int8", "int4"),
                row,
                (row[0], row[1], 200 if n == 405 else row[2]),
                strict=True,
            )
        ),
    ),
    WorkedExample(
        "cost-32",
        "incorrect",
        "QLoRA 70B at 4 bit",
        "70e9 x 0.5 B",
        "one 24 GB GPU",
        (
            Value(
                "GB before adapters and activations",
                70e9 * memory.QUANTISED_BYTES["int4"] / 1e9,
                35,
                24,
            ),
        ),
        "more than 24 GB; a 48 GB card holds it",
        (Value("GiB of an L40S", _memory_gib("L40S"), 44.7),),
    ),
    *(
        WorkedExample(
            row,
            "incorrect",
            inputs,
            "6 N D",
            stated,
            (Value(what, ours, exact, rough),),
            why,
            instead,
        )
        for row, inputs, stated, what, ours, exact, rough, why, instead in (
            (
                "cost-33",
                "10B from scratch, 4 x A6000, BF16 38 TFLOPS, 40 %",
                "months to 1 year",
                "years",
                _optimal(10e9) / (4 * _A6000_FP32) / _YEAR_S,
                6.26,
                1.0,
                "38 is an FP32 figure; at 154.8",
                (Value("years", _optimal(10e9) / (4 * _A6000) / _YEAR_S, 1.54),),
            ),
            (
                "cost-34",
                "10B continued on 20e9 tokens, 4 x A6000, 38 TFLOPS, 40 %",
                "weeks",
                "days",
                _days(10e9, 20e9, 4 * _A6000_FP32),
                228.4,
                28,
                "at 154.8 TFLOPS",
                (Value("days", _days(10e9, 20e9, 4 * _A6000), 56.1),),
            ),
            (
                "cost-35",
                "30B continued on 60 to 120e9 tokens, 8 x A100 at 150",
                "weeks",
                "days at least",
                _days(30e9, 60e9, 8 * _A100),
                104.2,
                28,
                "months",
                (Value("days at most", _days(30e9, 120e9, 8 * _A100), 208.3),),
            ),
            (
                "cost-36",
                "30B from scratch on 600e9 tokens, 8 x A100 at 150",
                "months",
                "years",
                _days(30e9, 600e9, 8 * _A100) / 365,
                2.85,
                0.5,
                "years",
                (),
            ),
        )
    ),
    WorkedExample(
        "cost-37",
        "correct",
        "100B from scratch, 8 x A100 at 150",
        "",
        "over a year",
        (Value("years", _C100 / (8 * _A100) / _YEAR_S, 31.7),),
        "correct, but 31.7 years",
    ),
    WorkedExample(
        "cost-38",
        "other method",
        "30B from scratch, 8 x H100 at 40 %",
        "",
        "realistic",
        (Value("years", _optimal(30e9) / (8 * AT_40) / _YEAR_S, 1.08),),
        "days with an interval are stated instead of a word",
        (Value("days", _optimal(30e9) / (8 * AT_40) / _DAY, 394.8),),
    ),
    WorkedExample(
        "cost-39", "correct", "990/312", "", "about 3 times", (Value("times", 990 / 312, 3.17, 3),)
    ),
    WorkedExample(
        "cost-40",
        "incorrect",
        "70B from scratch at 1.4e12 on 2,000 GPUs",
        "6 N D",
        "months on thousands of GPUs",
        (Value("days, A100 at 150", _days(70e9, 1.4e12, 2000 * _A100), 22.7, 90),),
        "overstated",
        (Value("days, H100 at 40 %", _days(70e9, 1.4e12, 2000 * AT_40), 8.6),),
    ),
)
