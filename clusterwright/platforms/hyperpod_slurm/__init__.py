"""HyperPod with Slurm: `platform: hyperpod-slurm`."""
