"""Options of the launchers of training programs, from their argument parsers.

Sources: pytorch/pytorch 010929fd, torch/distributed/run.py; huggingface/accelerate 16cb6eb8,
src/accelerate/commands/launch.py; deepspeedai/DeepSpeed, deepspeed/launcher/runner.py. Names have
hyphens here; the parsers of torchrun and Accelerate take underscores as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Options:
    """Options of a launcher.

    Attributes
    ----------
    flags:
        Options without a value.
    valued:
        Options with a value.
    own:
        Those that stand before the program, and that programs have no option of the same name for.
    """

    flags: frozenset[str]
    valued: frozenset[str]
    own: frozenset[str]

    def knows(self, name: str) -> bool:
        """Whether the parser accepts the name, in full or shortened to one option only."""
        known = self.flags | self.valued
        return name in known or sum(one.startswith(name) for one in known) == 1


def _options(flags: str, valued: str, own: str) -> Options:
    return Options(frozenset(flags.split()), frozenset(valued.split()), frozenset(own.split()))


LAUNCHERS: Final[Mapping[str, Options]] = {
    "torchrun": _options(
        "h help m module no-python run-path standalone use-env",
        """
        event-log-handler local-addr local-ranks-filter log-dir logdir logs-specs master-addr
        master-port max-restarts monitor-interval nnodes node-rank nproc-per-node numa-binding r
        rdzv-backend rdzv-conf rdzv-endpoint rdzv-id redirects role signals-to-handle start-method
        t tee
        """,
        "nproc-per-node rdzv-backend rdzv-conf rdzv-endpoint rdzv-id",
    ),
    "accelerate": _options(
        """
        cpu debug downcast-bf16 dynamo-use-dynamic dynamo-use-fullgraph
        dynamo-use-regional-compilation enable-cpu-affinity fp8-use-autocast-during-eval h help
        ipex m module multi-gpu no-python no-tpu-cluster q quiet same-network tpu tpu-cluster
        tpu-use-sudo use-deepspeed use-fsdp use-megatron-lm use-parallelism-config use-xpu
        """,
        """
        aws-access-key-id aws-secret-access-key config-file deepspeed-config-file
        deepspeed-exclusion-filter deepspeed-hostfile deepspeed-inclusion-filter
        deepspeed-moe-layer-cls-names deepspeed-multinode-launcher dynamo-backend dynamo-mode env
        fp8-amax-compute-algo fp8-amax-history-len fp8-backend fp8-enable-fsdp-float8-all-gather
        fp8-format fp8-interval fp8-margin fp8-opt-level fp8-override-linear-precision
        fp8-pad-inner-dim fsdp-activation-checkpointing fsdp-auto-wrap-policy
        fsdp-backward-prefetch fsdp-cpu-ram-efficient-loading fsdp-forward-prefetch
        fsdp-min-num-params fsdp-offload-params fsdp-reshard-after-forward fsdp-sharding-strategy
        fsdp-state-dict-type fsdp-sync-module-states fsdp-transformer-layer-cls-to-wrap
        fsdp-use-orig-params fsdp-version gpu-ids gradient-accumulation-steps gradient-clipping
        log-dir machine-rank main-process-ip main-process-port main-training-function max-restarts
        mixed-precision monitor-interval mpirun-hostfile num-cpu-threads-per-process num-machines
        num-processes offload-optimizer-device offload-optimizer-nvme-path offload-param-device
        offload-param-nvme-path rdzv-backend rdzv-conf role t tee vm zero-stage zero3-init-flag
        zero3-save-16bit-model
        """,
        "machine-rank main-process-ip main-process-port multi-gpu num-machines num-processes",
    ),
    "deepspeed": _options(
        """
        bind-cores-to-rank elastic-training force-multi h help module no-local-rank no-python
        no-ssh no-ssh-check q quiet save-pid
        """,
        """
        autotuning bind-core-list e enable-each-rank-log exclude H hostfile i include launcher
        launcher-args log-level master-addr master-port max-elastic-nodes min-elastic-nodes
        node-rank num-accelerators num-gpus num-nodes ssh-port venv-script
        """,
        "hostfile num-gpus",
    ),
}
FAMILIES: Final = {"accelerate": ("megatron-lm-", "parallelism-config-", "mpirun-", "use-")}
"""Beginnings of options that are too many to list, or that versions differ in."""
