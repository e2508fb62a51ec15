"""Where the time of a training run went, from job logs and Slurm's accounting."""
