"""AWS PCS: clusters, compute node groups and queues. No Slurm daemon runs; moto lacks it."""

API = ("clusters", "groups", "queues", "registration", "suspension", "tags")
WHOLE = True
