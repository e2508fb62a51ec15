"""Work that waits for endpoints: in order for each of them, and for all at the same time."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable


class EndpointQueues:
    """Queues of work, one for each endpoint, with a thread as long as it has work.

    An endpoint that does not answer delays no other one. The threads are daemon threads: a process
    that ends does not wait for endpoints.
    """

    def __init__(self, most: int) -> None:
        """`most` is how much work may be waiting or going on, for all endpoints together."""
        self._left = most
        self._lock = threading.Lock()
        self._queues: dict[str, deque[Callable[[], None]]] = {}

    def submit(self, endpoint: str, work: Callable[[], None]) -> bool:
        """Do work, which raises nothing, after that of its endpoint; False if too much waits."""
        with self._lock:
            if self._left <= 0:
                return False
            self._left -= 1
            waiting = self._queues.get(endpoint)
            if waiting is not None:
                waiting.append(work)
                return True
            self._queues[endpoint] = deque([work])
        threading.Thread(target=self._run, args=(endpoint,), name="sns", daemon=True).start()
        return True

    def _run(self, endpoint: str) -> None:
        while True:
            with self._lock:
                waiting = self._queues[endpoint]
                if not waiting:
                    del self._queues[endpoint]
                    return
                work = waiting.popleft()
            try:
                work()
            finally:
                with self._lock:
                    self._left += 1
