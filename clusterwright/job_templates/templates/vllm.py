"""Serving with vLLM: one server over the nodes of the job, published when it is healthy."""

from __future__ import annotations

from typing import Final

from clusterwright.job_templates import kubernetes, slurm
from clusterwright.job_templates.settings import Setting, SettingError
from clusterwright.job_templates.template import Context, JobTemplate

_NODE: Final = """#!/bin/bash
# The first node answers requests; the others only compute.
if ((SLURM_PROCID > 0)); then
  set -- "$@" --headless
fi
exec vllm serve "$@" --node-rank="$SLURM_PROCID"
"""
_KEY: Final = """
[[ -s {path} ]] || fail "$EXIT_ENVIRONMENT" "{path} is empty or missing"
VLLM_API_KEY=$(<{path})
export VLLM_API_KEY
""".strip("\n")


def arguments(context: Context) -> list[str]:
    """The arguments of `vllm serve`."""
    words = [
        context.text("model"),
        "--host=0.0.0.0",
        '--port="$PORT"',
        f"--served-model-name={context.optional('served_name') or context.text('run')}",
        f"--tensor-parallel-size={context.optional('tensor') or context.target.accelerators}",
    ]
    length = context.optional("max_model_len")
    if length is not None:
        words.append(f"--max-model-len={length}")
    if context.nodes > 1:
        words += [
            f"--pipeline-parallel-size={context.nodes}",
            f"--nnodes={context.nodes}",
            '--master-addr="$MASTER_ADDR"',
            '--master-port="$MASTER_PORT"',
        ]
    return words


def _kubernetes(context: Context) -> str:
    if context.nodes != 1:
        raise SettingError(
            f"--set nodes: {context.nodes}, and on Kubernetes a server has one node: pods of "
            "several have to restart together, and the list of operators has none for that",
            "nodes=1",
        )
    if context.optional("time") is not None:
        raise SettingError(
            "--set time: a server of Kubernetes runs until it is deleted", "leave it out"
        )
    key, port = context.optional("key_file"), context.count("port")
    return kubernetes.server(
        context,
        [
            f"export HF_HOME={context.shared_path}/huggingface HF_HUB_OFFLINE=1",
            f"PORT={port}",
            f"[[ -f {context.text('model')}/config.json ]] ||\n"
            f'  fail "$EXIT_ENVIRONMENT" "{context.text("model")} has no config.json"',
            _KEY.format(path=key) if key is not None else "",
            "exec vllm serve \\\n" + " \\\n".join(f"  {word}" for word in arguments(context)),
        ],
        port=port,
        health_path="/health",
        start_seconds=context.count("health_minutes") * 60,
    )


def _slurm(context: Context) -> str:
    several = context.nodes > 1
    key = context.optional("key_file")
    program = 'bash "$RUN_PATH/vllm_node.sh"' if several else "vllm serve"
    lines = [
        f"RUN_PATH={context.run_path}",
        f"PORT={context.count('port')}",
        f"HEALTH_SECONDS={context.count('health_minutes') * 60}",
        "",
        slurm.fragment("serving"),
        "",
        "begin_serving",
        slurm.python_environment(context),
        _KEY.format(path=key) if key is not None else "",
        slurm.program_file("vllm_node.sh", _NODE) if several else "",
        slurm.RENDEZVOUS if several else "",
        f"{slurm.srun(context)} --ntasks-per-node=1 \\",
        f"  {program} \\",
        " \\\n".join(f"  {word}" for word in arguments(context)) + " &",
        "STEP_PID=$!",
        "serve",
    ]
    return slurm.script(
        context,
        "\n".join(lines),
        tasks_per_node=1,
        environment=(
            ("HF_HOME", f"{context.shared_path}/huggingface"),
            ("HF_HUB_OFFLINE", "1"),
        ),
    )


TEMPLATE = JobTemplate(
    name="vllm",
    title="Serving with vLLM",
    family="serving",
    about="Starts one server: tensor parallelism in a node, a pipeline over several. The file "
    "`address` in the run's folder has its address while `/health` answers; without an answer "
    "within `health_minutes` the job ends with exit code 95, and a server that later fails three "
    "times in a minute is started again. The server listens on every interface of its node, "
    "without a key unless `key_file` names one: the security groups decide who reaches it.",
    runs_on="nvidia",
    source="the package vllm 0.33.0: engine/arg_utils.py, entrypoints/common/cli_args.py, "
    "entrypoints/cli/serve.py, entrypoints/serve/instrumentator/health.py",
    nodes=1,
    minutes=1440,
    image="optional",
    slurm=_slurm,
    kubernetes=_kubernetes,
    settings=(
        Setting("model", "path", "Folder of the model, as Hugging Face has it.", required=True),
        Setting("port", "count", "Port of the server.", default="8000"),
        Setting(
            "served_name", "text", "Name of the model in requests.  [default: that of the run]"
        ),
        Setting(
            "tensor", "count", "Accelerators of a node that are used.  [default: all of a node]"
        ),
        Setting("max_model_len", "count", "Longest sequence.  [default: of the model]"),
        Setting("key_file", "path", "File with the key that requests need."),
        Setting(
            "health_minutes", "count", "Time in which the server becomes healthy.", default="30"
        ),
    ),
    untried=(
        "the program: the arguments are those of the package, and no server was started",
        "a server over several nodes without Ray",
    ),
)
