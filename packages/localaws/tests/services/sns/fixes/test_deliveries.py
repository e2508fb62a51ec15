"""moto delivers to at most a hundred subscribers."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client
from packages.localaws.tests.services.sns.queues import (
    queue,
    received,
    subscribe,
    topic,
)

pytestmark = pytest.mark.usefixtures("aws")


def test_more_than_a_hundred_subscribers() -> None:
    arn, urls = topic(), [queue(f"q{number}") for number in range(102)]
    for number in range(102):
        subscribe(arn, f"q{number}")
    client("sns").publish(TopicArn=arn, Message="m")
    assert len(received(urls[-1])) == 1
