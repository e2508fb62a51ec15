"""An alert manager definition of tests."""

from __future__ import annotations

MANAGER = b"""\
alertmanager_config: |
  route:
    receiver: mail
  receivers:
    - name: mail
      sns_configs:
        - topic_arn: arn:aws:sns:us-east-1:111122223333:alerts
          sigv4: {region: us-east-1}
"""
