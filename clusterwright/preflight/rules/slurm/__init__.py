"""The Slurm configuration."""
