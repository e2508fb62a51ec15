"""HyperPod's auto-resume, as far as its behaviour is known.

Known: job scripts look for the folder `/opt/sagemaker_cluster`, and then give `srun` the option
`--auto-resume=1` (public examples, awsome-distributed-ai pull request 231); such a job is
restarted after its faulty nodes are replaced (SageMaker's developer guide, "Automatic node
recovery and auto-resume"). Not known: what HyperPod's srun and slurmctld do for it, for example
whether the step starts again in the same allocation. Here the option makes Slurm requeue the job,
whatever its own requeue setting; for a job that needs every node the effect is the same.
"""

from __future__ import annotations

MARKER = "/opt/sagemaker_cluster"
SRUN = "/opt/slurm/bin/srun"
SRUN_TEXT = """#!/bin/sh
# Written by the rehearsal instead of HyperPod: removes --auto-resume=N and applies it.
resume=0
for word; do
  shift
  case "$word" in
    --auto-resume=*) resume="${word#*=}" ;;
    *) set -- "$@" "$word" ;;
  esac
done
if [ "$resume" = 1 ] && [ -n "$SLURM_JOB_ID" ]; then
  scontrol update JobId="$SLURM_JOB_ID" Requeue=1
fi
exec /usr/bin/srun "$@"
"""
