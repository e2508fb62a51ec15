"""What the logs of training jobs say: steps, checkpoints, resumes, ends."""

from clusterwright_metrics.job_logs.events import UNKNOWN, Event, JobLog, Settings
from clusterwright_metrics.job_logs.reading import read_log

__all__ = ["UNKNOWN", "Event", "JobLog", "Settings", "read_log"]
