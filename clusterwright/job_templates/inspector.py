"""NCCL Inspector: bandwidth of a job's collectives, in files that the exporter of its nodes reads.

Sources: NVIDIA/nccl, plugins/profiler/inspector/README.md (variables; NCCL 2.28.3 and newer);
awslabs/awsome-distributed-ai, Extensions/observability (path in HyperPod's images); both read
2026-11-22.
"""

from __future__ import annotations

from typing import Final

from clusterwright.job_templates.template import Context, RefusedError
from clusterwright.platforms import software
from clusterwright.platforms.software_pairs import matches

FOLDER: Final = "/var/lib/clusterwright/nccl-inspector"
"""Slurm's prolog makes a folder for each job here (clusterwright_common.job_files)."""
HYPERPOD: Final = "/opt/aws/hyperpod/observability/lib/libnccl-profiler-inspector.so"
DUMP_SECONDS: Final = 30
_WITHOUT: Final = "<2.28.3"


def plugin(context: Context) -> str | None:
    """The path of the plug-in on the nodes; None where the job is not to load it.

    Raises RefusedError if a path is stated and the spec's NCCL cannot load it.
    """
    if not _uses_nccl(context):
        return None
    stated = context.optional("inspector")
    version = _version_without(context)
    if version is not None:
        if stated is not None:
            raise RefusedError(
                f"NCCL {version} of the spec's software.nccl has no Inspector",
                "leave inspector out, or state NCCL 2.28.3 or newer",
            )
        return None
    if stated is not None:
        return str(stated)
    return HYPERPOD if context.cluster.on_hyperpod else None


def notes(context: Context) -> tuple[str, ...]:
    """Why the job does not load the plug-in, for the heading of its file."""
    if not _uses_nccl(context) or plugin(context) is not None:
        return ()
    version = _version_without(context)
    if version is not None:
        return (
            f"NCCL Inspector is not loaded: NCCL {version} of software.nccl is before 2.28.3.",
        )
    return (
        "NCCL Inspector is not loaded: the path of its plug-in on the nodes is unknown "
        "(--set inspector=PATH).",
    )


def _uses_nccl(context: Context) -> bool:
    """Whether the job has figures that an exporter reads."""
    return (
        context.template.uses_nccl
        and context.cluster.uses_slurm
        and context.cluster.observability.metrics.listen != "off"
    )


def _version_without(context: Context) -> str | None:
    """The spec's NCCL if it is older than Inspector; None in a container, which has its own."""
    if context.optional("image") is not None:
        return None
    group = context.target.group
    version = software.stated(context.cluster, group, context.catalog).get("nccl")
    return version if version is not None and matches(_WITHOUT, version) else None
