"""The definition of the alert manager that the stacks create in the workspace.

Source: Amazon Managed Service for Prometheus user guide, "Configure alert manager to send messages
to your Amazon SNS topic" (read 2026-11-24).
"""

from __future__ import annotations


def manager_definition(environment: str, region: str, topic_arn: str) -> str:
    """The alert manager's definition: one receiver for each severity, both of the topic.

    The subject begins with the state and the severity, so that mail can be filtered by it. SNS
    accepts at most 100 characters there.
    """
    receivers = "".join(
        _receiver(environment, region, severity, topic_arn) for severity in ("critical", "warning")
    )
    return f"""\
alertmanager_config: |
  route:
    receiver: warning
    group_by: [alertname, cluster, group]
    group_wait: 30s
    group_interval: 5m
    repeat_interval: 12h
    routes:
      - matchers: [severity="critical"]
        receiver: critical
        repeat_interval: 1h
  receivers:
{receivers}"""


def _receiver(environment: str, region: str, severity: str, topic_arn: str) -> str:
    subject = "{{ .Status }} " + severity + ": {{ .GroupLabels.alertname }} " + environment
    return f"""\
    - name: {severity}
      sns_configs:
        - topic_arn: {topic_arn}
          sigv4:
            region: {region}
          send_resolved: true
          subject: '{subject}'
"""
