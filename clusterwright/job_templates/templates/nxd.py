"""Pre-training on Trainium1 with NxD, in an environment that is pinned at Neuron 2.28."""

from __future__ import annotations

from typing import Final

from clusterwright.catalog.neuron_cores import CORES_OF_CHIP
from clusterwright.job_templates import slurm
from clusterwright.job_templates.facts import Target
from clusterwright.job_templates.settings import Setting, SettingError
from clusterwright.job_templates.template import Context, JobTemplate
from clusterwright.sizing.quantities import counted

FIRST_WITHOUT: Final = "2.9.0.2.12"
"""Neuron 2.28.0 has torch-neuronx 2.9.0.2.11.0 (awslabs/awsome-distributed-ai,
3.test_cases/pytorch/neuronx-distributed/llama3/slurm): only versions before this one train."""
_PROGRAM: Final = "tp_zero1_llama_hf_pretrain"
_CHECK: Final = f"""
RELEASE=$(python3 -c 'from importlib.metadata import version; print(version("torch-neuronx"))') ||
  fail "$EXIT_ENVIRONMENT" 'the environment has no torch-neuronx: Trn1 trains with Neuron 2.28'
FIRST=$(printf '%s\\n' "$RELEASE" {FIRST_WITHOUT} | sort --version-sort | head --lines=1)
[[ "$FIRST" == "$RELEASE" && "$RELEASE" != {FIRST_WITHOUT} ]] ||
  fail "$EXIT_ENVIRONMENT" "torch-neuronx $RELEASE: Trn1 trains with Neuron 2.28 or older, \
because NxD and XLA training ended there: pin torch-neuronx==2.9.0.2.11.*"
[[ -f "$PROGRAM" ]] ||
  fail "$EXIT_ENVIRONMENT" "$PROGRAM does not exist: render with another program=PATH"
""".strip("\n")


def refusal(target: Target) -> str | None:
    """Why a type does not train with NxD."""
    if target.instance_type.startswith("trn1"):
        return None
    return (
        f"{target.instance_type}: NxD ended with Neuron 2.28; the job `neuron` is for Trn2 and "
        "Trn3"
    )


def arguments(context: Context) -> list[str]:
    """The arguments of the example's program. Raises SettingError."""
    each = context.target.accelerators * CORES_OF_CHIP["Trn1"]
    tensor = int(context.optional("tensor") or each)
    if context.nodes * each % tensor:
        raise SettingError(
            f"--set tensor: {tensor} does not divide the {context.nodes * each} NeuronCores of "
            f"{counted(context.nodes, 'node')}",
            f"{each}, those of a node",
        )
    words = [
        f"--model_path={context.text('model')}",
        f"--data_dir={context.text('data')}",
        '--output_dir="$RUN_PATH"',
        '--metrics_file="$RUN_PATH/results.json"',
        f"--tensor_parallel_size={tensor}",
        "--batch_size=1",
        f"--grad_accum_usteps={context.count('accumulation')}",
        f"--seq_len={context.count('seq_len')}",
        f"--max_steps={context.count('steps')}",
        "--steps_this_run=-1",
        f"--warmup_steps={context.count('warmup')}",
        f"--lr={context.values['lr']}",
        "--sequence_parallel_enabled",
        "--selective_checkpoint_enabled",
        "--use_mix_precision",
        "--use_zero_1",
        "--logging_interval=1",
        '--checkpoint_dir="$CHECKPOINTS"',
        f"--checkpoint_freq={context.count('save_every')}",
        f"--num_kept_checkpoint={max(2, context.count('keep'))}",
        "--loading_step=latest_if_exists",
    ]
    replicator = context.optional("kv_replicator")
    if replicator is not None:
        words += ["--qkv_linear", f"--kv_replicator={replicator}"]
    return words


def _slurm(context: Context) -> str:
    cores = context.target.accelerators * CORES_OF_CHIP["Trn1"]
    shared = context.shared_path
    examples = f"{shared}/neuronx-distributed/examples/training/llama"
    lines = [
        f"PROGRAM={context.optional('program') or f'{examples}/{_PROGRAM}/{_PROGRAM}.py'}",
        slurm.python_environment(context),
        _CHECK,
        "# Modules of all examples lie in the folder above.",
        'PYTHONPATH=$(dirname "$(dirname "$PROGRAM")")',
        "export PYTHONPATH",
        slurm.RENDEZVOUS,
        f"{slurm.srun(context)} --ntasks-per-node=1 torchrun \\",
        f"  --nnodes={context.nodes} --nproc-per-node={cores} \\",
        '  --rdzv-id="$SLURM_JOB_ID" --rdzv-backend=c10d \\',
        '  --rdzv-endpoint="$MASTER_ADDR:$MASTER_PORT" \\',
        '  "$PROGRAM" \\',
        " \\\n".join(f"  {word}" for word in arguments(context)) + " &",
        slurm.END,
    ]
    number = str(cores)
    return slurm.script(
        context,
        "\n".join(line for line in lines if line),
        tasks_per_node=1,
        marker='"done"',  # Without quotes a word of the shell.
        environment=(
            (
                "NEURON_CC_FLAGS",
                "'--model-type transformer --distribution-strategy=llm-training "
                f"--cache_dir={shared}/neuron-compile-cache'",
            ),
            ("NEURON_FUSE_SOFTMAX", "1"),
            ("NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS", "3"),
            ("MALLOC_ARENA_MAX", "64"),
            ("NEURON_RT_NUM_CORES", number),
            ("NUM_NEURONCORES", number),
            ("TPU_NUM_DEVICES", number),
            ("TPU_CHIPS_PER_HOST_BOUNDS", number),
        ),
    )


TEMPLATE = JobTemplate(
    name="nxd",
    title="Pre-training on Trainium1, pinned at Neuron 2.28",
    family="pre-training",
    about="Runs the Llama example of NeuronX Distributed (NxD), tensor parallel with ZeRO-1, in a "
    "Python environment on the shared file system. NxD and XLA training ended with Neuron 2.28, "
    "and what followed is for Trn2 and Trn3: the job ends with exit code 92, and the reason, "
    "where torch-neuronx is newer than that of 2.28. The data are those of the example's "
    "get_dataset.py. Not run on Neuron devices.",
    runs_on="neuron",
    source="aws-neuron/neuronx-distributed, examples/training/llama/tp_zero1_llama_hf_pretrain "
    "(tp_zero1_llama_hf_pretrain.py, tp_zero1_llama3_8B_hf_pretrain.sh); "
    "awslabs/awsome-distributed-ai, 3.test_cases/pytorch/neuronx-distributed/llama3/slurm, which "
    "was tested there with Neuron 2.28.0 and has the file `done` of a checkpoint",
    minutes=1440,
    trains=True,
    save_signal="",
    refusal=refusal,
    slurm=_slurm,
    kubernetes_refusal="only its form under Slurm has a source that states Neuron 2.28",
    settings=(
        Setting("model", "path", "Folder of the model's config.json.", required=True),
        Setting("data", "path", "Folder of the tokenised data set.", required=True),
        Setting(
            "program",
            "path",
            "The example's program.  [default: in neuronx-distributed on the shared file system]",
        ),
        Setting(
            "tensor",
            "count",
            "NeuronCores of a replica of the model.  [default: those of a node]",
        ),
        Setting(
            "kv_replicator",
            "count",
            "Copies of the key and value heads: 4 for Llama 3 8B with tensor=32.",
        ),
        Setting("seq_len", "count", "Tokens of a sequence.", default="8192"),
        Setting("accumulation", "count", "Sequences of each replica in a step.", default="64"),
        Setting("steps", "count", "Steps of the run.", default="10000"),
        Setting("warmup", "count", "Steps of the warm-up.", default="100"),
        Setting("lr", "number", "Learning rate.", default="1.5e-4"),
        Setting("save_every", "count", "Steps between checkpoints.", default="100"),
        Setting("keep", "count", "Checkpoints that are kept, at least 2.", default="2"),
    ),
    untried=(
        "the program, and that torchrun's rendezvous over c10d serves it: its own script states "
        "node ranks",
        "that a folder without `done` is not loaded by latest_if_exists",
    ),
)
