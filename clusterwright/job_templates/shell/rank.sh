# shellcheck shell=bash
# Starts a program with the variables of torchrun, which env:// of torch.distributed reads.
# NCCL's lines of one process per node say which network it uses.
# -- begin
export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS
export LOCAL_WORLD_SIZE=${SLURM_NTASKS_PER_NODE:-1}
if ((LOCAL_RANK > 0)); then
  export NCCL_DEBUG=WARN
fi
exec "$@"
