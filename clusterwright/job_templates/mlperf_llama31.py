"""MLPerf's Llama 3.1: MLCommons' reference in NeMo, by a program that is a part of the job."""

from __future__ import annotations

from typing import Final

from clusterwright.job_templates import mlperf, slurm
from clusterwright.job_templates.mlperf import Run
from clusterwright.job_templates.program_files import program, written
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.template import Context

PROGRAM: Final = "mlperf_llama31.py"
SUBMITTER: Final = Setting(
    "submitter", "text", "The organisation, as its log names it.", required=True
)
TOKENIZER: Final = Setting(
    "tokenizer", "path", "Folder of the reference's tokeniser.", required=True
)
CHECKOUT: Final = Setting(
    "checkout",
    "path",
    "Folder of mlcommons/training.  [default: sources/mlcommons-training on the file system]",
)
UNTRIED: Final = (
    "the reference: its arguments are those of the repository; the program ran with a substitute "
    "of it and of NeMo-Run",
    "NeMo-Run's `run(task, direct=True)`: its documentation has it, and the version in the image "
    "was not read",
)
_FIND: Final = """
REFERENCE={checkout}/{folder}
[[ -f "$REFERENCE/pretrain_llama31.py" ]] ||
  fail "$EXIT_ENVIRONMENT" "$REFERENCE has no pretrain_llama31.py: clone mlcommons/training there"
mkdir --parents {index} "$RUN_PATH/outputs" "$RUN_PATH/logs"
""".strip("\n")


def batch_script(
    context: Context,
    run: Run,
    folder: str,
    arguments: list[str],
    environment: tuple[tuple[str, str], ...] = (),
) -> str:
    """The batch script.

    Parameters
    ----------
    folder:
        Of the reference in the repository.
    arguments:
        Of the reference, beside those of the cluster.
    """
    target, name = context.target, run.benchmark.name
    checkout = context.optional("checkout") or f"{context.shared_path}/sources/mlcommons-training"
    index = f"{context.shared_path}/data/{name}-index"
    mounts = (
        f"{context.text('data')}:/preproc_data",
        f"{index}:/npy_index",
        "$RUN_PATH/outputs:/outputs",
        "$RUN_PATH/logs:/mlperf-outputs",
    )
    words = [
        # Its executors are not used: their values only have to be there.
        "--user=unused --host=unused --account=unused --partition=unused --image=unused",
        "--job_dir=/outputs --mounts=/outputs:/outputs --time=01:00:00",
        f"--nodes={context.nodes} --gpus_per_node={target.accelerators}",
        f"--gbs={run.batch} --mbs=1",
        '--seeds="$SEED"',
        "--num_exps=1 --num_pars=1",
        "--continual_ckpt_path=/outputs/checkpoints",
        f"--tokenizer_path={context.text('tokenizer')}",
        f"--target_log_ppl={run.benchmark.target:g}",
        f"--eval_every={run.benchmark.evaluate_every}",
        f"--eval_tokens={run.benchmark.eval_samples}",
        *arguments,
    ]
    own = (
        f'"$RUN_PATH/{PROGRAM}" --reference="$REFERENCE" --benchmark={name} '
        f"--organisation={context.text('submitter')} "
        f"--platform={context.nodes}x{target.instance_type}"
    )
    listed = "\n".join(f"  {word}" for word in words)
    steps = [
        _FIND.format(checkout=checkout, folder=folder, index=index),
        written({PROGRAM: program(PROGRAM)}),
        slurm.rank_program(),
        slurm.RENDEZVOUS,
        f"ARGUMENTS=(\n{listed}\n)",
        f"{slurm.srun(context, mounts=mounts)} --nodes=1 --ntasks=1 \\",
        f'  bash "$RUN_PATH/rank.sh" python {own} \\',
        '  --stage=index -- "${ARGUMENTS[@]}"',
        f"{slurm.srun(context, mounts=mounts)} --ntasks-per-node={target.accelerators} \\",
        f'  bash "$RUN_PATH/rank.sh" python {own} \\',
        '  --stage=train -- "${ARGUMENTS[@]}" &',
    ]
    return mlperf.batch_script(
        context,
        run,
        steps,
        f'cp "$RUN_PATH/logs/mlperf_{name}.log" "$RESULT"',
        (
            ("HF_HOME", f"{context.shared_path}/huggingface"),
            ("HF_HUB_OFFLINE", "1"),
            *environment,
        ),
    )
