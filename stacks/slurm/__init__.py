"""The database of Slurm's accounting."""
