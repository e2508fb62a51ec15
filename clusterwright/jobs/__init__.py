"""Job files of Slurm and manifests of Kubernetes: tolerant readers, and the rules of `check-job`.
Pure: texts in, findings out.
"""
