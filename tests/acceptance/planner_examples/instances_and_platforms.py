"""Instances, networks, MLPerf GPT-3 175B, quotas and platform prices."""

from __future__ import annotations

from typing import Final

from clusterwright.catalog import Known, load_catalog
from tests.acceptance.planner_examples.memory_and_checkpoints import SECONDS
from tests.acceptance.planner_examples.prices import (
    EC2_P4D,
    EC2_P5,
    HYPERPOD_P4D,
    HYPERPOD_P5,
    P4D_BEFORE_JUNE_2025,
    P4D_SPOT_QUOTE,
)
from tests.acceptance.planner_examples.worked_example import Value, WorkedExample

_CATALOG: Final = load_catalog()


def _fact(value: object) -> float:
    assert isinstance(value, Known), value
    return float(value.value)


def _memory(accelerator: str) -> float:
    found = _CATALOG.accelerator(accelerator)
    assert found is not None
    return _fact(found.memory_gib)


def _link(accelerator: str) -> float:
    found = _CATALOG.accelerator(accelerator)
    assert found is not None
    return _fact(found.scale_up_link_gbytes_per_s)


def _days_8nd(gpus: int, tflops: float) -> float:
    return 8 * 175e9 * 300e9 / (gpus * tflops * 1e12) / SECONDS


def _lustre(item: str) -> float:
    price = _CATALOG.service_price("fsx_lustre", item, "us-east-1")
    assert isinstance(price, Known), item
    return float(price.value.usd)


_MLPERF_FLOPS: Final = 6 * 175e9


def ring_all_reduce_bytes(size_bytes: float, ranks: int) -> float:
    """Bytes that each rank sends in a ring all-reduce: 2 (n - 1)/n x size (Thakur et al. 2005)."""
    return 2 * (ranks - 1) / ranks * size_bytes


def mlperf_learning_rate(batch_sequences: int) -> float:
    """The learning rate that the rules of the benchmark prescribe for a batch.

    Raises
    ------
    ValueError
        The rules do not allow the batch.
    """
    if batch_sequences in {1536, 2048, 3072}:
        return 2.0e-5
    if batch_sequences in {4096, 8192}:
        return 3.0e-5
    raise ValueError(f"a batch of {batch_sequences} is not allowed")


INSTANCES: Final = (
    WorkedExample(
        "instances-01",
        "other method",
        "3,200, 6,400, 28,800 Gbps / 400",
        "ratio",
        "8, 16, 72 times P4d",
        (
            Value("P5", 3200 / 400, 8, 8),
            Value("B300", 6400 / 400, 16, 16),
            Value("GB200", 28_800 / 400, 72, 72),
        ),
        "28.8 Tbps is of a whole UltraServer of 72",
        (Value("GB200 per GPU, Gbps", 28_800 / 72, 400), Value("P5 per GPU, Gbps", 3200 / 8, 400)),
    ),
    WorkedExample(
        "instances-02",
        "correct",
        "NVLink 600, 900, 1,800 GB/s x 8",
        "",
        "4.8, 7.2, 14.4 TB/s",
        tuple(
            Value("TB/s", s * 8 / 1000, e, e) for s, e in ((600, 4.8), (900, 7.2), (1800, 14.4))
        ),
    ),
    WorkedExample(
        "instances-03",
        "correct",
        "72 x 1.8 TB/s",
        "",
        "130 TB/s",
        (Value("TB/s", 72 * 1.8, 129.6, 130),),
    ),
    WorkedExample(
        "instances-04", "correct", "18 trays x 4 GPUs", "", "72", (Value("GPUs", 18 * 4, 72, 72),)
    ),
    WorkedExample(
        "instances-05",
        "incorrect",
        "144 x 2 TB/s",
        "",
        "368 TB/s in all",
        (Value("TB/s", 144 * 2.0, 288, 368),),
        "a chip has 2.56 TB/s",
        (
            Value("TB/s per chip", 368.64 / 144, _link("Trn3") / 1000),
            Value("TB/s", 144 * _link("Trn3") / 1000, 368.64),
        ),
    ),
    WorkedExample(
        "instances-06",
        "incorrect",
        "16 x 32; 16 x 512 GB; ratio",
        "",
        "512; 8,192; 16",
        (
            Value("Trn2 GiB", 16 * _memory("Trn2"), 1536, 8192),
            Value("times Trn1", _memory("Trn2") / _memory("Trn1"), 3, 16),
        ),
        "Trainium2 has 96 GiB",
        (Value("Trn1 GiB", 16 * _memory("Trn1"), 512),),
    ),
    WorkedExample(
        "instances-07",
        "correct",
        "8 x 100; 16 x 100; 16 x 200 Gbps",
        "",
        "800; 1,600; 3,200",
        tuple(
            Value("Gbps", n * g, e, e)
            for n, g, e in ((8, 100, 800), (16, 100, 1600), (16, 200, 3200))
        ),
    ),
    WorkedExample(
        "instances-08",
        "incorrect",
        "8 x 179 GB",
        "",
        "1,440 GB",
        (Value("GB", 8 * 179, 1432, 1440, 0.001),),
        "8 x 179.1 GiB in the catalogue",
        (Value("GiB", 8 * _memory("B200"), 1432.8),),
    ),
    WorkedExample(
        "instances-09",
        "correct",
        "8 x 268 GB",
        "",
        "2,144 GB",
        (Value("GB", 8 * 268, 2144, 2144),),
    ),
    WorkedExample(
        "instances-10",
        "correct",
        "72 x 185 GB; 72 x 278 GB",
        "",
        "13.4; about 20 TB",
        (
            Value("TB", 72 * _memory("GB200") / 1000, 13.32, 13.4),
            Value("TB", 72 * 278 / 1000, 20.02, 20),
        ),
    ),
    WorkedExample(
        "instances-11",
        "correct",
        "70e9 x 2 B, 8 GPUs, ring all-reduce",
        "2 (n - 1)/n x S",
        "140 GB; 245 GB per iteration",
        (
            Value("GB, n = 8", ring_all_reduce_bytes(140, 8), 245, 245),
            Value("GB, n = 2", ring_all_reduce_bytes(140, 2), 140),
            Value("GB, n = 64", ring_all_reduce_bytes(140, 64), 275.6),
        ),
    ),
    WorkedExample(
        "instances-12",
        "correct",
        "159 / 312 TFLOPS",
        "",
        "51 %",
        (Value("share", 159 / 312, 0.5096, 0.51),),
    ),
    WorkedExample(
        "instances-13",
        "correct",
        "159/120; 145/95; 130/70",
        "ratio",
        "1.3; 1.5; 1.9",
        (
            Value("128", 159 / 120, 1.325, 1.3),
            Value("256", 145 / 95, 1.526, 1.5),
            Value("512", 130 / 70, 1.857, 1.9),
        ),
    ),
    WorkedExample(
        "instances-14",
        "correct",
        "512 x 130; 512 x 70 TFLOPS",
        "",
        "66.6; 35.8; 1.9",
        (
            Value("PFLOPS", 512 * 0.130, 66.56, 66.6),
            Value("PFLOPS", 512 * 0.070, 35.84, 35.8),
            Value("ratio", 130 / 70, 1.857, 1.9),
        ),
    ),
    WorkedExample(
        "instances-15",
        "correct",
        "days with and without EFA: 480/530, 240/310, 130/200, 80/150",
        "difference; ratio",
        "+50, +70, +70, +70; 1.10, 1.29, 1.54, 1.88",
        tuple(
            v
            for w, o, d, r in (
                (480, 530, 50, 1.10),
                (240, 310, 70, 1.29),
                (130, 200, 70, 1.54),
                (80, 150, 70, 1.88),
            )
            for v in (Value(f"{w}: more days", o - w, d, d), Value(f"{w}: ratio", o / w, r, r))
        ),
    ),
    WorkedExample(
        "instances-16",
        "correct",
        "175e9, 300e9 tokens, 159 TFLOPS, 128 GPUs",
        "8 N D / (n x rate)",
        "240; 480 days",
        (
            Value("days on 128", _days_8nd(128, 159), 238.9, 240),
            Value("days on 64", _days_8nd(64, 159), 477.7, 480),
        ),
        "8ND is 6ND with full recomputation",
        (Value("days by 6ND", _days_8nd(128, 159) * 6 / 8, 179.1),),
    ),
    WorkedExample(
        "instances-17",
        "incorrect",
        "the same at 256 x 145; 512 x 130",
        "8 N D",
        "130; 80 days",
        (Value("days on 512", _days_8nd(512, 130), 73.0, 80),),
        "256 follows; 512 is 9.5 % above its own throughput",
        (Value("days on 256", _days_8nd(256, 145), 131.0),),
    ),
    WorkedExample(
        "instances-18",
        "incorrect",
        "the same without EFA: 128 x 120, 256 x 95, 512 x 70",
        "8 N D",
        "310; 200; 150 days",
        (Value("days on 512", _days_8nd(512, 70), 135.6, 150),),
        "128 and 256 follow; 512 is 10.6 % above",
        (
            Value("days on 128", _days_8nd(128, 120), 316.5),
            Value("days on 256", _days_8nd(256, 95), 199.9),
        ),
    ),
    WorkedExample(
        "instances-19",
        "incorrect",
        "EFA of p4d",
        "400 Gbps / 8",
        "NVLink 900 GB/s against EFA 400 GB/s",
        (Value("GB/s per node", 400 / 8, 50, 400),),
        "bits for bytes; A100's NVLink is 600 GB/s",
    ),
    WorkedExample(
        "instances-20", "correct", "8 x 3.8 TB", "", "30.4 TB", (Value("TB", 8 * 3.8, 30.4, 30.4),)
    ),
    WorkedExample(
        "instances-21",
        "correct",
        "$0.16 to $0.11",
        "1 - b/a",
        "31 %",
        (Value("share", 1 - 0.11 / 0.16, 0.3125, 0.31),),
    ),
    WorkedExample(
        "instances-22",
        "incorrect",
        "Lustre persistent 200 MB/s/TiB, 2,500 GB",
        "GB x price",
        "$6,022",
        (Value("dollars a month", 2500 * _lustre("PERSISTENT_1 SSD 200"), 725, 6022),),
        "8.3 times too much",
    ),
    WorkedExample(
        "instances-23",
        "incorrect",
        "the same, 10,000 GB",
        "GB x price",
        "$24,090",
        (Value("dollars a month", 10_000 * _lustre("PERSISTENT_1 SSD 200"), 2900, 24_090),),
        "8.3 times too much",
    ),
    WorkedExample(
        "instances-24",
        "incorrect",
        "HDD 12, 10,000 GB",
        "GB x price",
        "$2,070",
        (Value("dollars a month", 10_000 * _lustre("PERSISTENT_1 HDD 12"), 250, 2070),),
        "8.3 times too much",
    ),
    WorkedExample(
        "instances-25",
        "incorrect",
        "scratch, 2,500 GB",
        "GB x price",
        "$3.503 in the text, $3,503 in the table",
        (Value("dollars a month", 2500 * _lustre("SCRATCH_2 SSD"), 350, 3503),),
        "10 times too much, and text and table differ by 1,000",
    ),
    WorkedExample(
        "instances-26",
        "correct",
        "3,503 / 6,022",
        "",
        "about 60 %",
        (Value("share", 3503 / 6022, 0.582, 0.6),),
        "with the figures of the same table; by the catalogue",
        (Value("share", _lustre("SCRATCH_2 SSD") / _lustre("PERSISTENT_1 SSD 200"), 0.483),),
    ),
    WorkedExample(
        "instances-27",
        "correct",
        "P5 127 nodes, Trn1 24 nodes",
        "",
        "node counts only",
        (
            Value("GPUs", 127 * 8, 1016),
            Value("P vCPU", 127 * 192, 24_384),
            Value("chips", 24 * 16, 384),
            Value("Trn vCPU", 24 * 128, 3072),
        ),
    ),
)

MLPERF: Final = (
    WorkedExample(
        "mlperf-01",
        "correct",
        "24,576 samples x 2,048",
        "",
        "50.33 M",
        (Value("tokens", 24_576 * 2048, 50_331_648, 50.33e6),),
    ),
    WorkedExample(
        "mlperf-02",
        "correct",
        "100 nodes x {8 GPUs, 8 NICs, 2 x 60 cores}",
        "",
        "800; 800; 12,000",
        (
            Value("GPUs", 800, 800, 800),
            Value("NICs", 100 * 8, 800, 800),
            Value("cores", 100 * 120, 12_000, 12_000),
        ),
    ),
    WorkedExample(
        "mlperf-03",
        "correct",
        "96 x 8; 32 x 8",
        "",
        "768; 256 GPUs",
        (Value("GPUs", 96 * 8, 768, 768), Value("GPUs", 32 * 8, 256, 256)),
    ),
    WorkedExample(
        "mlperf-04",
        "correct",
        "TP 8 x PP 16 x DP 6",
        "",
        "768 GPUs",
        (Value("GPUs", 8 * 16 * 6, 768, 768),),
    ),
    WorkedExample(
        "mlperf-05",
        "incorrect",
        "TP 4 x PP 8 x DP 8",
        "",
        "64 nodes x 8 = 512 GPUs",
        (Value("GPUs", 4 * 8 * 8, 256, 512),),
        "the layout fills 32 nodes; DP 16 would fill 64",
        (Value("GPUs with DP 16", 4 * 8 * 16, 512),),
    ),
    WorkedExample(
        "mlperf-06",
        "correct",
        "96.664 / 105.310 min",
        "",
        "91.7 %",
        (Value("share", 96.664 / 105.310, 0.91790, 0.917),),
    ),
    WorkedExample(
        "mlperf-07",
        "correct",
        "49.795 min x 512/768",
        "",
        "33.2",
        (Value("minutes", 49.795 * 512 / 768, 33.197, 33.2),),
    ),
    WorkedExample(
        "mlperf-08",
        "correct",
        "33.197 / 41.862",
        "",
        "79.3 %; -20.7 %",
        (Value("share", 33.197 / 41.862, 0.79300, 0.793),),
    ),
    WorkedExample(
        "mlperf-09",
        "correct",
        "105.310 / 41.862",
        "",
        "2.51",
        (Value("times", 105.310 / 41.862, 2.5156, 2.51),),
    ),
    WorkedExample(
        "mlperf-10",
        "incorrect",
        "2.5156 / 3",
        "",
        "-17 %",
        (Value("loss", 1 - 105.310 / 41.862 / 3, 0.1615, 0.17, 0.02),),
        "16.1 %",
    ),
    WorkedExample(
        "mlperf-11",
        "correct",
        "MFU",
        "6 P tokens/s / (n x peak)",
        "the same",
        (Value("MFU of 521,099 tokens/s", _MLPERF_FLOPS * 521_099 / (768 * 1979e12), 0.36, 0.36),),
    ),
    WorkedExample(
        "mlperf-12",
        "incomplete",
        "P 175e9, n 768, peak 1,979e12, MFU {0.36, 0.38}",
        "inverted",
        "36 to 38 %",
        (
            Value("tokens/s", 0.36 * 768 * 1979e12 / _MLPERF_FLOPS, 521_099),
            Value("tokens/s", 0.38 * 768 * 1979e12 / _MLPERF_FLOPS, 550_049),
        ),
        "throughput is not given",
    ),
    WorkedExample(
        "mlperf-13",
        "incomplete",
        "263 steps x GBS x 2,048 over 41.862 min",
        "GBS {1,536; 2,048; 3,072}",
        "36 to 38 %",
        tuple(
            Value(
                f"MFU, GBS {g}",
                _MLPERF_FLOPS * 263 * g * 2048 / (41.862 * 60) / (768 * 1979e12),
                e,
            )
            for g, e in ((1536, 0.2276), (2048, 0.3034), (3072, 0.4551))
        ),
        "requires a batch that the rules do not allow; the time includes evaluation",
    ),
    WorkedExample(
        "mlperf-14",
        "incomplete",
        "equal work on 256 and 768 GPUs",
        "MFU ratio",
        "36 to 38 % for both",
        (
            Value("ratio", 105.310 / 41.862 / 3, 0.8385),
            Value("38 % becomes", 0.38 * 0.8385, 0.3186),
        ),
        "holds only if the runs took different numbers of tokens",
    ),
    WorkedExample(
        "mlperf-15",
        "incomplete",
        "BF16 run against the FP8 peak",
        "x 2",
        "BF16, and FP8 mixed precision",
        (
            Value("36 % of FP8's peak is of BF16's", 0.36 * 1979 / 989.5, 0.72),
            Value("38 %", 0.38 * 1979 / 989.5, 0.76),
        ),
        "the precision is not given: every MFU is stated with its peak",
    ),
    WorkedExample(
        "mlperf-16",
        "incorrect",
        "gradient accumulation",
        "GBS / (MBS x DP)",
        "GBS / (MBS x DP x PP)",
        (Value("micro-batches for GBS 1,536, DP 6", 1536 / (1 * 6), 256, 1536 / (6 * 16)),),
        "the pipeline does not divide the batch",
    ),
    WorkedExample(
        "mlperf-17",
        "correct",
        "4,000 steps x 1,536 x 2,048",
        "",
        "steps and GBS only",
        (Value("tokens", 4000 * 1536 * 2048, 12.58e9),),
    ),
    WorkedExample(
        "mlperf-18",
        "correct",
        "warm-up 265 steps at GBS 1,536",
        "samples",
        "the rule only",
        (
            Value("samples", 265 * 1536, 407_040),
            Value("steps at 2,048", 265 * 1536 / 2048, 198.75),
        ),
    ),
    WorkedExample(
        "mlperf-19",
        "correct",
        "learning rate by GBS",
        "table",
        "2.0e-5 to 3,072; 3.0e-5 from 4,096",
        tuple(
            Value(f"at {gbs:,}", mlperf_learning_rate(gbs), rate, rate)
            for gbs, rate in ((1536, 2e-5), (2048, 2e-5), (3072, 2e-5), (4096, 3e-5), (8192, 3e-5))
        ),
        "any other batch is rejected",
    ),
)

_HYPERPOD_730: Final = HYPERPOD_P5 * 730

PLATFORMS: Final = (
    WorkedExample(
        "platforms-01",
        "correct",
        "{8, 64, 512} x 192 vCPU",
        "",
        "1,536; 12,288; 98,304",
        tuple(Value("vCPU", n * 192, e, e) for n, e in ((8, 1536), (64, 12_288), (512, 98_304))),
    ),
    WorkedExample(
        "platforms-02",
        "correct",
        "{8, 64, 512, 1,000} x 8 GPUs",
        "",
        "64; 512; 4,096; 8,000",
        tuple(
            Value("GPUs", n * 8, e, e) for n, e in ((8, 64), (64, 512), (512, 4096), (1000, 8000))
        ),
    ),
    WorkedExample(
        "platforms-03",
        "correct",
        "p4d x 10 x 720 h before June 2025",
        "",
        "$236,000",
        (Value("dollars then", 10 * 720 * P4D_BEFORE_JUNE_2025, 235_963, 236_000),),
        "prices of the catalogue",
        (
            Value("EC2", 10 * 720 * EC2_P4D, 158_095),
            Value("HyperPod", 10 * 720 * HYPERPOD_P4D, 186_552),
        ),
    ),
    WorkedExample(
        "platforms-04",
        "other method",
        "2 on demand + 8 spot = $73,400",
        "solve for spot",
        "$73,400",
        (
            Value(
                "spot dollars an hour", (73_400 - 2 * 720 * P4D_BEFORE_JUNE_2025) / (8 * 720), 4.55
            ),
            Value(
                "below on-demand",
                1 - (73_400 / 720 - 2 * P4D_BEFORE_JUNE_2025) / 8 / P4D_BEFORE_JUNE_2025,
                0.861,
            ),
        ),
        "spot changes by the minute: a quote has a date and is never assumed",
        (
            Value(
                "dollars at the quote of 2026-09-19",
                720 * (2 * EC2_P4D + 8 * P4D_SPOT_QUOTE),
                127_604,
            ),
        ),
    ),
    WorkedExample(
        "platforms-05",
        "correct",
        "236,000 - 73,400; ratio",
        "",
        "$162,600; 69 %",
        (
            Value("dollars", 236_000 - 73_400, 162_600, 162_600),
            Value("share", 162_600 / 236_000, 0.689, 0.69),
        ),
    ),
    WorkedExample(
        "platforms-06",
        "correct",
        "8 GPUs x 7 MIG slices",
        "",
        "56; 7 times",
        (Value("slices", 8 * 7, 56, 56),),
    ),
    *(
        WorkedExample(
            f"platforms-{row:02}",
            "incorrect",
            f"P5 x {n}, 730 h",
            "n x 730 x price",
            f"about ${s:,}",
            (Value("EC2", n * 730 * EC2_P5, e, s),),
            "hourly price of the catalogue, by platform",
            (Value("HyperPod", n * _HYPERPOD_730, h),),
        )
        for row, n, e, h, s in (
            (7, 8, 321_434, 385_720, 250_000),
            (8, 64, 2_571_469, 3_085_763, 2_000_000),
            (9, 512, 20_571_750, 24_686_100, 16_000_000),
        )
    ),
    WorkedExample(
        "platforms-10",
        "correct",
        "900 GB/s x 8",
        "",
        "7.2 TB/s",
        (Value("TB/s", 900 * 8 / 1000, 7.2, 7.2),),
    ),
    WorkedExample(
        "platforms-11",
        "correct",
        "144 x 2.56 TB/s",
        "",
        "368 TB/s",
        (Value("TB/s", 144 * _link("Trn3") / 1000, 368.64, 368),),
    ),
    WorkedExample(
        "platforms-12",
        "incorrect",
        "1,000,000 / 20,000",
        "",
        "10 times the previous generation",
        (Value("times", 1_000_000 / 20_000, 50, 10),),
        "with the figures of the same table",
    ),
    WorkedExample(
        "platforms-13",
        "correct",
        "144 x 2,517; 64 x 1,299 TFLOPS FP8",
        "ratio",
        "362 PFLOPS; up to 4.4 times",
        (
            Value("PFLOPS", 144 * 2.517, 362.4, 362),
            Value("PFLOPS", 64 * 1.299, 83.1),
            Value("ratio", 144 * 2517 / (64 * 1299), 4.36, 4.4),
        ),
    ),
    WorkedExample(
        "platforms-14",
        "correct",
        "706 TB/s / 185 TB/s",
        "",
        "about 4 times",
        (Value("times", 706 / 185, 3.82, 4),),
    ),
    WorkedExample(
        "platforms-15",
        "correct",
        "20 / 13.3 TB",
        "",
        "1.5 times",
        (Value("times", 20 / 13.3, 1.50, 1.5),),
    ),
    WorkedExample(
        "platforms-16",
        "incorrect",
        "1.2 TB/s from PERSISTENT_2 1000",
        "MB/s / 1,000 per TiB",
        "FSx 1.2 TB/s to 64 GPUs, 2.4 TB/s to 512",
        (Value("TiB for 1.2 TB/s", 1.2e6 / 1000, 1200, 1.2),),
        "1.2 and 2.4 TiB are capacity increments; the default quota allows",
        (Value("GB/s at 100,800 GiB", 100_800 / 1024 * 1000 / 1000, 98.4),),
    ),
)
