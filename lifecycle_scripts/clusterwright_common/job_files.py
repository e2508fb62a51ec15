"""Files on a compute node that tell which job its measurements are of.

`GPU_JOBS` has a file for each GPU that a job holds, named by the GPU's index and with the job's id
in a line: the form that dcgm-exporter reads with `--hpc-job-mapping-dir` (NVIDIA, "dcgm-exporter",
read 2026-11-27), in the folder of the prolog in HyperPod's images.

`INSPECTOR` has a folder for each job, of the job's user, into which NCCL Inspector writes.

Slurm's prolog makes both and its epilog removes them.
"""

from __future__ import annotations

GPU_JOBS = "/run/slurm/dcgm-job-mapping"
INSPECTOR = "/var/lib/clusterwright/nccl-inspector"
