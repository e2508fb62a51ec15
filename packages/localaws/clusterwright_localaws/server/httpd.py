"""HTTP/1.1 on a bound socket: keep-alive, 100-continue and chunked bodies are cheroot's."""

from __future__ import annotations

import contextlib
import errno
import logging
import queue
import resource
import select
import socket
import sys
import threading
import time
import traceback as tracebacks
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

from cheroot import wsgi
from cheroot.server import HTTPConnection, HTTPRequest
from cheroot.workers.threadpool import WorkerThread

# A fault may delay a request for long: threads are added while all are busy.
_THREADS = 4
_MOST_THREADS = 256
# How long a connection may be idle, in seconds, between requests or within one.
_IDLE_SECONDS = 60
_BACKLOG = 256
_KEPT_ALIVE = 1000
# Connections of one server, as a share of the open files that the process may have.
_SHARE_OF_FILES = 0.25


class Server:
    """Serves one WSGI application on one bound socket, from daemon threads."""

    def __init__(self, bound: socket.socket, application: Any) -> None:
        # Accepted sockets inherit it: an answer is two writes, and the second would wait 40 ms.
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._server = _Server(bound, application)

    def start(self) -> None:
        """Start to answer."""
        ready = threading.Event()

        def run() -> None:
            # In this thread, so that the workers are daemons too: no client may hold up the end.
            self._server.prepare()
            ready.set()
            self._server.serve()

        threading.Thread(target=run, daemon=True).start()
        ready.wait()

    def stop(self, seconds: float) -> None:
        """Accept no more connections, and give running requests up to `seconds` to end."""
        self._server.ready = False
        bound, self._server.socket = self._server.socket, None
        if bound is not None:
            bound.close()
        until = time.monotonic() + seconds
        while self._server.requests.busy and time.monotonic() < until:
            time.sleep(0.005)


class _Server(wsgi.Server):
    def __init__(self, bound: socket.socket, application: Any) -> None:
        address, port = bound.getsockname()[:2]
        super().__init__(
            (address, port),
            application,
            server_name="localhost",
            request_queue_size=_BACKLOG,
            timeout=_IDLE_SECONDS,
        )
        self._bound = bound
        self.incomplete = _Incomplete()
        self.requests = _Pool(self)
        self.ConnectionClass = _Connection
        self.gateway = _Gateway
        self.keep_alive_conn_limit = _KEPT_ALIVE
        self.protocol = "HTTP/1.1"

    def bind(self, family: int, type: int, proto: int = 0) -> socket.socket:  # noqa: A002
        """The socket that is bound already."""
        self.socket: socket.socket | None = self._bound
        return self._bound

    def process_conn(self, conn: _Connection) -> None:
        """Give a connection to a thread once it has sent something."""
        if conn.is_new:
            conn.is_new = False
            self.incomplete.add(conn)
            if not conn.has_sent():
                self.put_conn(conn)
                return
        super().process_conn(conn)

    def error_log(self, msg: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
        """Report our bugs; a client that disconnects is not reported."""
        if level < logging.ERROR or not self.ready:
            return
        print(msg, file=sys.stderr, flush=True)
        if traceback:
            tracebacks.print_exc(file=sys.stderr)


class _Request(HTTPRequest):
    """A request whose path may begin with two slashes, as of an S3 key that begins with one.

    cheroot takes such a path for an absolute URI, which it refuses outside of proxies.
    """

    def read_request_line(self) -> bool:
        self.proxy_mode = True
        if not super().read_request_line():  # type: ignore[no-untyped-call]
            return False
        refusal = "405 Method Not Allowed" if self.method == b"CONNECT" else None
        if refusal is None and not self.uri.startswith(b"/") and self.uri != b"*":
            refusal = "400 Bad Request"
        if refusal is not None:
            self.simple_response(refusal)
        return refusal is None


class _Connection(HTTPConnection):
    """A connection that the server closes if it waits for its request while others need room."""

    server: _Server
    RequestHandlerClass = _Request

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.is_new = True
        self.has_thread = False

    def has_sent(self) -> bool:
        """Return whether a byte, or the end of the connection, has arrived."""
        waiting = select.poll()
        waiting.register(self.socket.fileno(), select.POLLIN)
        return bool(waiting.poll(0))

    def communicate(self) -> bool:
        self.has_thread = True
        # Connections that were queued before a thread had begun could free none.
        self.server.requests.make_room(self)
        try:
            return bool(super().communicate())  # type: ignore[no-untyped-call]
        finally:
            self.has_thread = False
            self.server.incomplete.add(self)  # until its next request

    def received(self) -> None:
        """Record that the request has arrived completely.

        Raises
        ------
        ConnectionResetError
            The server has closed the connection already; the request is not processed.
        """
        if not self.server.incomplete.discard(self):
            raise ConnectionResetError(errno.ECONNRESET, "the server closed the connection")

    def close(self) -> None:
        self.server.incomplete.discard(self)
        super().close()


class _Incomplete:
    """The connections whose next request has not arrived completely, oldest first.

    Idle and half-open connections of one client must not keep others from being served: above
    the limits the oldest is closed.
    """

    def __init__(self) -> None:
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._most = int(files * _SHARE_OF_FILES)
        self._connections: dict[_Connection, None] = {}
        self._lock = threading.Lock()

    def add(self, connection: _Connection) -> None:
        with self._lock:
            self._connections[connection] = None
            if len(self._connections) > self._most:
                self._close(next(iter(self._connections)))

    def discard(self, connection: _Connection) -> bool:
        """Remove a connection; return whether it was there."""
        with self._lock:
            return self._connections.pop(connection, self) is None

    def free_thread(self, besides: _Connection | None = None) -> None:
        """Close the oldest connection whose request a thread waits for, except `besides`."""
        with self._lock:
            for connection in self._connections:
                if connection.has_thread and connection is not besides:
                    self._close(connection)
                    return

    def _close(self, connection: _Connection) -> None:
        """End the connection's input: its thread, or the next one that reads it, closes it."""
        del self._connections[connection]
        with contextlib.suppress(OSError):
            connection.socket.shutdown(socket.SHUT_RDWR)


class _Pool:
    """Threads that wait for connections; one more is made when a connection finds none free.

    The parts of cheroot's ThreadPool that its server uses: `min`, `start`, `put`, `get`, `stop`.
    """

    def __init__(self, server: _Server) -> None:
        self.min = _THREADS
        self._server = server
        self._connections: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._threads: list[WorkerThread] = []
        self._counting = threading.Lock()
        self._free = 0  # waiting threads, less the connections in the queue

    @property
    def busy(self) -> int:
        """How many threads are at a request."""
        return sum(thread.conn is not None for thread in list(self._threads))

    def start(self) -> None:
        for _ in range(self.min):
            self._add()

    def put(self, connection: Any) -> None:
        with self._counting:
            self._free -= 1
            if self._free < 0:
                if len(self._threads) < _MOST_THREADS:
                    self._add()
                else:
                    self._server.incomplete.free_thread()
        self._connections.put(connection)

    def make_room(self, taken: _Connection) -> None:
        """Free a thread if connections wait for one after a thread has taken this one."""
        with self._counting:
            wait = self._free < 0 and len(self._threads) >= _MOST_THREADS
        if wait:
            self._server.incomplete.free_thread(besides=taken)

    def get(self) -> Any:
        with self._counting:
            self._free += 1
        return self._connections.get()

    def stop(self, timeout: float | None = None) -> None:
        """The threads are daemons: they end with the process."""

    def _add(self) -> None:
        thread = WorkerThread(self._server)  # type: ignore[no-untyped-call]
        thread.start()
        self._threads.append(thread)


class _Gateway(wsgi.Gateway_10):
    """WSGI's environment, with the header names that have an underscore in S3's metadata."""

    def get_environ(self) -> dict[str, Any]:  # type: ignore[override]
        from moto.core.request import (
            PRESERVED_HEADER_NAMES_ENVIRON_KEY,
            environ_key_for_header,
            should_preserve_original_header_name,
        )

        environ: dict[str, Any] = super().get_environ()  # type: ignore[no-untyped-call]
        given = {
            name.decode("latin-1"): value.decode("latin-1")
            for name, value in self.req.inheaders.items()
        }
        preserved = {}
        for name in given:
            if "_" not in name:
                continue
            key = environ_key_for_header(name)
            dashed = name.replace("_", "-")
            # A name with an underscore never stands in for the one with a dash.
            if dashed in given:
                environ[key] = given[dashed]
            elif should_preserve_original_header_name(name):
                preserved[key] = name
            else:
                environ.pop(key, None)
        environ[PRESERVED_HEADER_NAMES_ENVIRON_KEY] = preserved
        environ["clusterwright.received"] = self.req.conn.received
        # cheroot keeps an encoded slash encoded, which is no part of an S3 key.
        environ["RAW_URI"] = self.req.uri.decode("latin-1")  # as moto asks for it
        path = self.req.uri.split(b"?", 1)[0]
        if not path.startswith(b"/"):
            path = urlsplit(path).path
        environ["PATH_INFO"] = unquote_to_bytes(path).decode("latin-1")
        return environ
