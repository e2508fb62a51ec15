# shellcheck shell=bash
# Loads NCCL Inspector. The plug-in and the folder of the prolog are on the job's nodes alike: they
# have one image. A job trains without them.
# shellcheck disable=SC2034,SC2329
# -- begin
load_inspector() {
  if [[ ! -r "$1" ]]; then
    say "NCCL Inspector is not loaded: $1 cannot be read"
    return 1
  elif [[ ! -w "$2" ]]; then
    say "NCCL Inspector is not loaded: Slurm's prolog made no $2"
    return 1
  fi
  export NCCL_PROFILER_PLUGIN=$1 NCCL_INSPECTOR_ENABLE=1 NCCL_INSPECTOR_PROM_DUMP=1
  export NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS=$3 NCCL_INSPECTOR_DUMP_DIR=$2
}
