"""MLPerf Training: GPT-3 175B, from the benchmark's checkpoint."""

from __future__ import annotations

from typing import Final

from clusterwright.job_templates import mlperf, slurm
from clusterwright.job_templates.mlperf_rules import GPT3
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.template import Context, JobTemplate

_FOLDER: Final = "retired_benchmarks/gpt3/megatron-lm"
_TENSOR: Final = 8
_PIPELINE: Final = 8
_START: Final = 4000 * 1536
"""Sequences that the benchmark's checkpoint has seen."""
_FIND: Final = """
REFERENCE={checkout}/{folder}
[[ -f "$REFERENCE/pretrain_gpt.py" ]] ||
  fail "$EXIT_ENVIRONMENT" "$REFERENCE has no pretrain_gpt.py: clone mlcommons/training there"
export PYTHONPATH="$REFERENCE"
""".strip("\n")


def _run(context: Context) -> mlperf.Run:
    return mlperf.run_of(context, GPT3, _TENSOR * _PIPELINE)


def _notes(context: Context) -> tuple[str, ...]:
    return mlperf.notes(context, _run(context))


def arguments(context: Context, run: mlperf.Run) -> list[str]:
    """The arguments of the reference's pretrain_gpt.py, as its run_gpt3.sh has them."""
    data = context.text("data")
    return [
        f"--tensor-model-parallel-size={_TENSOR} --pipeline-model-parallel-size={_PIPELINE}",
        "--sequence-parallel --recompute-activations --bf16",
        "--num-layers=96 --hidden-size=12288 --num-attention-heads=96",
        "--seq-length=2048 --max-position-embeddings=2048",
        f"--micro-batch-size=1 --global-batch-size={run.batch}",
        "--train-samples=20000000",
        "--lr-warmup-samples=407040 --lr-decay-samples=166809600 --lr-decay-style=cosine",
        f"--lr={run.rate:g} --min-lr={run.rate / 10:g}",
        f"--log-interval=1 --eval-iters=-1 --eval-interval={run.evaluation_steps}",
        "--attention-dropout=0.0 --hidden-dropout=0.0",
        f"--train-data-path 0.5 {data}/c4_en_6_c4_spm_text_document "
        f"0.5 {data}/c4_en_7_c4_spm_text_document",
        f"--valid-data-path 1.00 {data}/c4_en_validation_subset_c4_spm_text_document",
        f"--vocab-file={context.text('vocabulary')}/vocab.json",
        f"--merge-file={context.text('vocabulary')}/merges.txt",
        "--do-layernorm-bias-weight-decay --no-scaled-init --loss-scale=1.0",
        "--split=100,0,0",
        "--clip-grad=1.0 --weight-decay=0.1 --adam-beta1=0.9 --adam-beta2=0.95",
        "--init-method-std=0.006",
        "--DDP-impl=local --no-query-key-layer-scaling --no-seq-len-plus-one-tokens",
        "--no-load-rng --use-ext-ckpt --use-distributed-checkpointing",
        f"--ext-iterations={_START // run.batch} --ext-lr-steps={_START}",
        f"--load={context.text('weights')}",
        f"--exit-interval={_START // run.batch + run.most_steps}",
        '--seed="$SEED"',
    ]


def _slurm(context: Context) -> str:
    run = _run(context)
    tasks = context.target.accelerators
    checkout = context.optional("checkout") or f"{context.shared_path}/sources/mlcommons-training"
    steps = [
        _FIND.format(checkout=checkout, folder=_FOLDER),
        slurm.rank_program(),
        slurm.RENDEZVOUS,
        'say "the log of the training is $RUN_PATH/training.log"',
        f"{slurm.srun(context)} --ntasks-per-node={tasks} \\",
        '  --output="$RUN_PATH/training.log" --open-mode=append \\',
        '  bash "$RUN_PATH/rank.sh" python -u "$REFERENCE/pretrain_gpt.py" \\',
        " \\\n".join(f"  {word}" for word in arguments(context, run)) + " &",
    ]
    result = 'grep --only-matching ":::MLLOG.*" "$RUN_PATH/training.log" >"$RESULT" || true'
    return mlperf.batch_script(
        context, run, steps, result, (("CUDA_DEVICE_MAX_CONNECTIONS", "1"),)
    )


TEMPLATE = JobTemplate(
    name="mlperf-gpt3-175b",
    title="MLPerf GPT-3 175B (retired)",
    family="mlperf",
    about="Runs MLCommons' reference from the benchmark's checkpoint until a log perplexity of "
    "2.69, as an array of three runs. The benchmark was retired after round 4.1: its ruleset is "
    "4.1.0, and results can be compared with those rounds, not submitted. The batch is one of the "
    "rules' table, and decides the learning rate. The reference writes its own name as that of "
    "the submitter. A replica has 64 GPUs: tensor parallelism of 8, 8 stages.",
    runs_on="nvidia",
    source=f"mlcommons/training, main of 2026-07-27: {_FOLDER}/run_gpt3.sh and "
    f"megatron/arguments.py; {mlperf.SOURCE}",
    minutes=1440,
    image="required",
    slurm=_slurm,
    notes=_notes,
    kubernetes_refusal="the reference and the array of its runs are for Slurm",
    settings=(
        *mlperf.settings("Folder of the tokens: c4_en_6, c4_en_7 and the validation subset."),
        Setting("weights", "path", "Folder of the benchmark's checkpoint.", required=True),
        Setting("vocabulary", "path", "Folder of vocab.json and merges.txt.", required=True),
        Setting(
            "checkout",
            "path",
            "Folder of mlcommons/training.  [default: sources/mlcommons-training on the file "
            "system]",
        ),
    ),
    untried=(
        "the reference: the names of its arguments are those of the repository, and no run was "
        "made; it is written for the PyTorch of 2022 to 2024",
    ),
)
