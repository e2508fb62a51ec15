"""Data of a trainer: download, filter and tokenise, as an array job."""

from __future__ import annotations

import re
import shlex
from typing import Final

from clusterwright.job_templates import kubernetes, slurm
from clusterwright.job_templates.facts import Target
from clusterwright.job_templates.program_files import (
    PYTHON_FOUND,
    program,
    results_folder,
    written,
)
from clusterwright.job_templates.settings import Setting, SettingError
from clusterwright.job_templates.template import Context, JobTemplate, RefusedError

PROGRAM: Final = "prepare_data.py"
_FOLDERS: Final = {"megatron": "megatron", "tokens": "tokens", "jsonl": "text", "parquet": "text"}
"""Below data/ of the file system, where the training jobs read by default."""
_CPUS: Final = 8
_S3: Final = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:/[A-Za-z0-9._=@,+/-]*)?")
_HUB: Final = re.compile(r"hf://[A-Za-z0-9._-]+/[A-Za-z0-9._-]+")
_FOLDER: Final = re.compile(r"/[A-Za-z0-9._+=:@,%/-]*")

_AWS: Final = (
    "command -v aws >/dev/null ||\n"
    '  fail "$EXIT_ENVIRONMENT" "$(hostname) has no AWS CLI, which this job reads S3 with"'
)


def _source(context: Context) -> str:
    """The source, of one of the forms. Raises SettingError, RefusedError."""
    source = context.text("source")
    if ".." in source.split("/") or not any(
        form.fullmatch(source) for form in (_S3, _HUB, _FOLDER)
    ):
        raise SettingError(
            f"--set source: {source[:80]!r} is no place of data",
            "s3://BUCKET/PREFIX, hf://OWNER/DATASET, or an absolute path",
        )
    if not source.startswith("hf://"):
        return source
    if context.cluster.network.egress == "closed":
        raise RefusedError(
            f"{context.template.name}: the network is closed, and a hub cannot be reached",
            "copy the data set to S3",
        )
    for name in ("hub", "revision"):
        if context.optional(name) is None:
            raise RefusedError(
                f"{context.template.name}: the source is a hub's, and {name} is not stated",
                f"--set {name}=VALUE",
            )
    return source


def _hub(context: Context) -> str:
    hub = context.optional("hub")
    if hub is None:
        return ""
    if not re.fullmatch(r"https?://[A-Za-z0-9.:/_-]+", hub):
        raise SettingError(f"--set hub: {hub[:80]!r} is no address", "https://HOST")
    return f"export HF_ENDPOINT={hub}"


def _arguments(context: Context, source: str, task: str, workers: str) -> list[str]:
    least, most = context.count("min_words"), context.count("max_words")
    if least > most:
        raise SettingError(
            f"--set min_words: {least} is more than max_words, {most}", "a smaller number"
        )
    words = [
        f"--source={source}",
        f"--output={_output(context)}",
        f"--task={task}",
        f"--tasks={context.count('tasks')}",
        f"--workers={workers}",
        f"--format={context.text('format')}",
        f"--tokenizer={context.text('tokenizer')}",
        f"--text-key={shlex.quote(context.text('text_key'))}",
        f"--min-words={least}",
        f"--max-words={most}",
    ]
    if context.text("format") == "megatron":
        words.append('--megatron="$MEGATRON"')
    if context.optional("revision") is not None:
        words.append(f"--revision={context.text('revision')}")
    return words


def _checkout(context: Context) -> str:
    if context.text("format") != "megatron":
        return ""
    path = context.optional("checkout") or f"{context.shared_path}/sources/Megatron-LM"
    return (
        f"MEGATRON={path}\n"
        '[[ -f "$MEGATRON/tools/preprocess_data.py" ]] ||\n'
        '  fail "$EXIT_ENVIRONMENT" "$MEGATRON has no tools/preprocess_data.py: clone '
        'NVIDIA/Megatron-LM there"'
    )


def _slurm(context: Context) -> str:
    source, tasks = _source(context), context.count("tasks")
    output, cpus = _output(context), _cpus(context)
    step = f'python "$RUN_PATH/{PROGRAM}"'
    if context.optional("image") is not None:
        step = f"{slurm.srun(context)} --ntasks=1 \\\n  {step}"
    download = f'{step} download "${{ARGUMENTS[@]}}"'
    if source.startswith("s3://"):
        # On the node: it has the AWS CLI, and images rarely do.
        download = f'{_AWS}\npython3 "$RUN_PATH/{PROGRAM}" download "${{ARGUMENTS[@]}}"'
    words = _arguments(context, source, '"$SLURM_ARRAY_TASK_ID"', '"$SLURM_CPUS_PER_TASK"')
    arguments = "\n".join(f"  {word}" for word in words)
    parts = [
        nodes_comment(context.target),
        results_folder(context),
        written({PROGRAM: program(PROGRAM)}),
        PYTHON_FOUND if source.startswith("s3://") else "",
        slurm.python_environment(context),
        _checkout(context),
        _hub(context),
        f"ARGUMENTS=(\n{arguments}\n)",
        f'say "task $SLURM_ARRAY_TASK_ID of {tasks}: {source} to {output}"',
        download,
        f'{step} prepare "${{ARGUMENTS[@]}}"',
    ]
    body = "\n".join(part for part in parts if part)
    return slurm.script(context, body, cpus_per_task=cpus, array=f"0-{tasks - 1}")


def _output(context: Context) -> str:
    folder = _FOLDERS[context.text("format")]
    return str(context.optional("output") or f"{context.shared_path}/data/{folder}")


def _cpus(context: Context) -> int:
    return min(context.count("cpus"), context.target.cpus or context.count("cpus"))


def _kubernetes(context: Context) -> str:
    source, place = _source(context), f"{kubernetes.PROGRAMS}/{PROGRAM}"
    cpus = _cpus(context)
    several = context.count("tasks") > 1
    words = _arguments(context, source, '"$TASK"' if several else "0", str(cpus))
    listed = "\n".join(f"  {word}" for word in words)
    lines = [
        # The image downloads: unlike a node it need not have the AWS CLI.
        _AWS.replace("$(hostname)", "the image") if source.startswith("s3://") else "",
        _checkout(context),
        _hub(context),
        f"ARGUMENTS=(\n{listed}\n)",
        f'say "{context.count("tasks")} tasks: {source} to {_output(context)}"',
        f'python {place} download "${{ARGUMENTS[@]}}"',
        f'python {place} prepare "${{ARGUMENTS[@]}}"',
    ]
    return kubernetes.tasks(
        context, lines, {PROGRAM: program(PROGRAM)}, count=context.count("tasks"), cpus=cpus
    )


def nodes_comment(target: Target) -> str:
    """A comment: why a job for CPUs is on nodes with accelerators; empty if it is not."""
    if target.family == "none":
        return ""
    return (
        "# The cluster has no compute group without accelerators: this job takes CPUs of\n"
        f"# {target.instance_type}, and training jobs, which need whole nodes, wait for it."
    )


def _refusal(target: Target) -> str | None:
    if target.shared_path is None:
        return "the cluster has no FSx for Lustre file system, where the data would be"
    return None


TEMPLATE = JobTemplate(
    name="prepare-data",
    title="Download, filter and tokenise data",
    family="data",
    about="An array job whose tasks take shares of the files of a source: text, JSON lines or "
    "Parquet, from S3, a hub or a folder. It drops invalid UTF-8, texts of too few or too many "
    "words and exact duplicates within the share of a task (with `tasks=1`: of all), and writes "
    "what the training jobs read: `megatron` *.bin and *.idx by tools/preprocess_data.py, "
    "`tokens` for fsdp2, `jsonl` and `parquet` with a column `text` for torchtitan and TRL. "
    "Beside the output, in OUTPUT.work, are the counts of documents, tokens and bytes of each "
    "file, of each task, and in summary.json of all. Finished files are skipped after a requeue; "
    "data of other settings are refused. Nodes without accelerators are used where there are any.",
    runs_on="cpu",
    communicates=False,
    source="NVIDIA/Megatron-LM, main of 2026-08-22: tools/preprocess_data.py and "
    "megatron/core/datasets/indexed_dataset.py; arXiv 2112.11446, Gopher, for the number of "
    "words; arXiv 2107.06499 for duplicates; RFC 3629, UTF-8; the package huggingface_hub 2.4.0",
    nodes=1,
    minutes=1440,
    image="optional",
    slurm=_slurm,
    kubernetes=_kubernetes,
    refusal=_refusal,
    settings=(
        Setting(
            "source",
            "text",
            "s3://BUCKET/PREFIX, hf://OWNER/DATASET, or a folder.",
            required=True,
        ),
        Setting(
            "tokenizer",
            "path",
            "Folder of a tokeniser of Hugging Face, with tokenizer.json.",
            required=True,
        ),
        Setting(
            "format",
            "choice",
            "What is written.",
            default="megatron",
            choices=("megatron", "tokens", "jsonl", "parquet"),
        ),
        Setting(
            "output",
            "path",
            "Folder of the data.  [default: data/megatron, data/tokens or data/text on the file "
            "system]",
        ),
        Setting("hub", "text", "Address of the hub, of a source hf://."),
        Setting("revision", "text", "Commit of the data set, of a source hf://."),
        Setting("tasks", "count", "Tasks of the array.", default="4"),
        Setting("cpus", "count", "CPUs of a task, at most those of a node.", default=str(_CPUS)),
        Setting("text_key", "text", "Key or column of the text.", default="text"),
        Setting("min_words", "count", "Fewest words of a text.", default="50"),
        Setting("max_words", "count", "Most words of a text.", default="100000"),
        Setting(
            "checkout",
            "path",
            "Folder of NVIDIA/Megatron-LM.  [default: sources/Megatron-LM on the file system]",
        ),
    ),
    untried=(
        "tools/preprocess_data.py: its arguments and the form of its index are those of the "
        "repository, and the program was not run with it",
        "S3 and a hub: the commands were run with substitutes",
    ),
)
