"""The local AWS on a port of the loopback interface."""

from __future__ import annotations

import contextlib
import errno
import queue
import re
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clusterwright_localaws.core.runtime import Runtime, running
from clusterwright_localaws.server import web_pages
from clusterwright_localaws.worlds.model import World

if TYPE_CHECKING:
    from clusterwright_localaws.server.wire import Answer

IPV4 = "127.0.0.1"
IPV6 = "::1"
DEFAULT_PORT = 5555
# How long running calls have to end when the server stops.
_GRACE_SECONDS = 0.3
_NO_CONTENT = 204
_REQUEST_ID = "x-amzn-RequestId"
# Headers that say something of a body.
_OF_A_BODY = frozenset({"content-length", "content-type"})
# Larger objects of S3 are buffered in a file.
_BYTES_IN_MEMORY = 8 * 1024 * 1024
_BLOCK_BYTES = 1024 * 1024

# APIs of Managed Prometheus that its model lacks: without a signature only the path names them.
_PROMETHEUS = re.compile(r"/workspaces/ws-[^/]+/api/v1/")

# Actions in URLs that SNS sends to subscribers, and the argument that names the region.
_VISITED = {"ConfirmSubscription": "TopicArn", "Unsubscribe": "SubscriptionArn"}
_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-\d")

# Imported in the background once the port answers, so that callers do not wait for them.
_WARM = ("sts", "s3", "iam", "ssm", "cloudformation", "ec2", "sagemaker", "fsx", "service-quotas")


class PortInUseError(Exception):
    """Another process listens on the port."""


def listen(port: int) -> list[socket.socket]:
    """Sockets bound to `port` of the loopback: IPv4, and IPv6 where the machine has it.

    `localhost` is both, and clients differ in which they try first.

    Raises
    ------
    PortInUseError
        The port is in use.
    """
    if port:
        return _bind(port)
    for _ in range(20):
        first = _bound(socket.AF_INET, IPV4, 0)
        try:
            return [first, *_ipv6(first.getsockname()[1])]
        except PortInUseError:  # free for one address family only: try another
            first.close()
    raise PortInUseError("no port is free on both 127.0.0.1 and ::1")


def serve(
    world: World,
    port: int,
    *,
    latency_ms: int = 0,
    record: Path | None = None,
    dump: Path | None = None,
    reread: Callable[[], World] | None = None,
    ready: Callable[[int], None],
) -> None:
    """Serve `world` until SIGTERM or SIGINT; `ready` is called with the port once it answers.

    Parameters
    ----------
    reread:
        Returns the world of the file as it is now, or raises WorldError: called at SIGHUP, after
        which what it injects applies.
    record:
        A file to which every call is written as it is answered.
    dump:
        A file to which the state is written at SIGUSR1 and at the end.

    Raises
    ------
    PortInUseError
        The port is in use.
    OSError
        `record` or `dump` cannot be written.
    """
    from clusterwright_localaws.server.recording import Recorder

    asked: queue.SimpleQueue[int] = queue.SimpleQueue()
    numbers = [signal.SIGTERM, signal.SIGINT]
    if dump is not None:
        _check_writable(dump)
        numbers.append(signal.SIGUSR1)
    if reread is not None:
        numbers.append(signal.SIGHUP)
    for number in numbers:
        # A signal handler may safely put into a SimpleQueue (documented).
        signal.signal(number, lambda received, _: asked.put(received))
    recorder = Recorder(record) if record is not None else None
    with serving(world, port, latency_ms=latency_ms) as found:
        found.runtime.recorder = recorder
        found.runtime.log = say
        ready(found.port)
        found.warm()
        while (received := asked.get()) in (signal.SIGUSR1, signal.SIGHUP):
            if received == signal.SIGUSR1:
                _dump(found.runtime, dump)
            elif reread is not None:
                _inject(found.runtime, reread)
        found.close()
        _dump(found.runtime, dump)


def _check_writable(path: Path) -> None:
    existed = path.exists()
    path.open("a").close()
    if not existed:
        path.unlink()


def _inject(runtime: Runtime, reread: Callable[[], World]) -> None:
    """Apply what the world's file injects now; an invalid file changes nothing."""
    from clusterwright_localaws.worlds.loading import WorldError

    try:
        world = reread()
    except WorldError as error:
        say(f"the world was not read again: {error}")
        return
    runtime.inject(
        faults=world.faults,
        overrides=world.overrides,
        node_faults=world.node_faults,
        cluster_events=world.cluster_events,
        log_lines=world.log_lines,
    )
    say("the failures and states that the world injects were read again")


def _dump(runtime: Runtime, path: Path | None) -> None:
    from clusterwright_localaws.server.dumping import write_dump

    if path is None:
        return
    try:
        write_dump(runtime, path)
    except OSError as error:
        say(f"the state could not be written: {error}")


class Serving:
    """A local AWS that answers on the loopback interface, and on further sockets."""

    def __init__(self, runtime: Runtime, application: Application, port: int) -> None:
        self.runtime = runtime
        self.port = port
        self._application = application
        self._servers: list[Any] = []

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    def answer_on(self, bound: socket.socket) -> None:
        """Answer on a listening socket too, as inside a network namespace."""
        from clusterwright_localaws.server.httpd import Server

        server = Server(bound, self._application)
        self._servers.append(server)
        server.start()

    def warm(self) -> None:
        """Import in the background what every deployment needs."""
        threading.Thread(target=_warm, daemon=True).start()

    def close(self) -> None:
        """Accept no more calls, and let running calls end, for half a second at most."""
        until = time.monotonic() + _GRACE_SECONDS
        for server in self._servers:
            server.stop(until - time.monotonic())


@contextmanager
def serving(world: World, port: int = 0, *, latency_ms: int = 0) -> Iterator[Serving]:
    """Serve a new local AWS in `world` from threads of this process, on the loopback interface.

    At the end the local AWS that the process had before is its own again.

    Raises
    ------
    PortInUseError
        The port is in use.
    """
    sockets = listen(port)
    application = Application(latency_ms=latency_ms)
    from clusterwright_localaws.server.install import install

    install()
    with running(world) as runtime:
        found = Serving(runtime, application, sockets[0].getsockname()[1])
        runtime.address = found.url
        try:
            for each in sockets:
                found.answer_on(each)
            yield found
        finally:
            found.close()


class Application:
    """The WSGI application: finds the service, then lets the gateway answer."""

    def __init__(self, *, latency_ms: int = 0) -> None:
        from moto.moto_server import werkzeug_app

        # Otherwise every answer permits every web page to read it.
        werkzeug_app.DISABLE_GLOBAL_CORS = True
        self._latency_s = latency_ms / 1000
        self._moto = werkzeug_app.DomainDispatcherApplication(werkzeug_app.create_backend_app)

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if self._latency_s:
            time.sleep(self._latency_s)
        path = environ.get("PATH_INFO", "")
        # Internal: marks the calls that the local AWS makes itself.
        environ.pop("HTTP_X_CLUSTERWRIGHT_SOURCE", None)
        try:
            _buffer(environ)
        except ValueError:
            return _respond(
                _malformed("the chunked encoding of the body is malformed"),
                environ,
                start_response,
            )
        environ.get("clusterwright.received", _no_connection)()
        refusal = web_pages.refusal(environ)
        if refusal is not None:
            return _respond(refusal, environ, start_response)
        if path.startswith(("/moto-api", "/latest/")) or path == "/favicon.ico":
            return self._moto(environ, start_response)  # type: ignore[no-any-return]
        return _respond(self._answer(environ, path), environ, start_response)

    def _answer(self, environ: dict[str, Any], path: str) -> Answer:
        from moto.moto_server.werkzeug_app import BackendRequest

        from clusterwright_localaws.server import wire
        from clusterwright_localaws.server.gateway import answer_request
        from clusterwright_localaws.server.install import region_of_url, service_of_url
        from clusterwright_localaws.server.requests import MAX_BYTES, too_large

        request = BackendRequest(environ)
        try:
            host = self._moto.infer_service_region_host(environ, path)
        except (
            LookupError,
            ValueError,
        ):  # an Authorization or X-Amz-Target header of unknown form
            host = None
        given = environ.get("HTTP_AUTHORIZATION", "")
        if host is None and given and not given.startswith("AWS "):  # the old form, S3's only
            return wire.plain_error(
                request,
                "IncompleteSignature",
                "The Authorization header of the request names no service",
            )
        _rewind(environ)
        if not given and path == "/":
            host = _host_of_visit(environ.get("QUERY_STRING", "")) or host
        if not given and _PROMETHEUS.match(path):
            host = "aps.us-east-1.amazonaws.com"  # refused there; S3 would take it for a bucket
        host = host or "s3.us-east-1.amazonaws.com"
        name = _moto_name(host, service_of_url)
        if name != "s3" and int(environ["CONTENT_LENGTH"] or 0) > MAX_BYTES:
            error = too_large(MAX_BYTES)
            return wire.plain_error(request, error.code, error.message, 413)
        try:
            if name is None:
                return wire.no_service(host.split(".")[0], request)
            answered = answer_request(
                request,
                name,
                region_of_url(f"http://{host}/"),
                lambda given: self._ask_moto(given.environ),
            )
        except Exception as error:  # noqa: BLE001  said once, and not retried by SDKs
            traceback.print_exception(error, file=sys.stderr)
            message = f"the local AWS failed: {type(error).__name__}: {error}"
            return wire.plain_error(request, "InternalFailure", message, 501)
        assert answered is not None
        return answered

    def _ask_moto(self, environ: dict[str, Any]) -> Answer:
        _rewind(environ)
        # werkzeug keeps the parsed request in the environ; moto makes its own.
        environ.pop("werkzeug.request", None)
        captured: list[Any] = []

        def start_response(status: str, headers: list[tuple[str, str]], _: Any = None) -> None:
            captured[:] = [status, headers]

        chunks = self._moto(environ, start_response)
        try:
            body = b"".join(chunks)
        finally:
            close = getattr(chunks, "close", None)
            if close:
                close()
        status, headers = captured
        return int(status.split(" ", 1)[0]), _Headers(headers), body


class _Headers(dict[str, str]):
    """Headers of an answer, in order, with repeated names kept apart."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self.pairs = list(pairs)
        super().__init__(self.pairs)


def _host_of_visit(query: str) -> str | None:
    """Return the host of the URLs in SNS's messages, which are visited without a signature."""
    from urllib.parse import parse_qs

    found = {name: values[0] for name, values in parse_qs(query).items()}
    argument = _VISITED.get(found.get("Action", ""))
    if argument is None:
        return None
    region = "".join(found.get(argument, "").split(":")[3:4])
    return f"sns.{region if _REGION.fullmatch(region) else 'us-east-1'}.amazonaws.com"


def _respond(answered: Answer, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    from http import HTTPStatus

    status, headers, body = answered
    raw = body.encode() if isinstance(body, str) else body
    pairs = headers.pairs if isinstance(headers, _Headers) else list(headers.items())
    is_head = environ.get("REQUEST_METHOD") == "HEAD"
    omitted = _OF_A_BODY | {"status"} if status == _NO_CONTENT else {"status"}
    if not is_head:
        omitted |= {"content-length"}  # the body may have been written anew after moto's answer
    pairs = [
        # moto writes it in lower case.
        (_REQUEST_ID if name.lower() == _REQUEST_ID.lower() else name, value)
        for name, value in pairs
        if name.lower() not in omitted
    ]
    if status != _NO_CONTENT and not any(name.lower() == "content-length" for name, _ in pairs):
        pairs.append(("Content-Length", str(len(raw))))
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Unknown"
    start_response(f"{status} {phrase}", pairs)
    return [] if is_head else [raw]


def _no_connection() -> None:
    """Stand in for `received` where a request did not come through the server's connection."""


def _buffer(environ: dict[str, Any]) -> None:
    """Read the whole body before it is processed; we and moto both read it.

    Raises
    ------
    ConnectionResetError
        The client disconnected within the body; the call was not processed.
    ValueError
        The chunked encoding is malformed, or the length is not a number.
    """
    source = environ["wsgi.input"]
    chunked = environ.pop("HTTP_TRANSFER_ENCODING", None) is not None
    environ.pop("wsgi.input_terminated", None)
    left = sys.maxsize if chunked else int(environ.get("CONTENT_LENGTH") or 0)
    kept: Any = tempfile.SpooledTemporaryFile(_BYTES_IN_MEMORY)  # noqa: SIM115  the caller's
    length = 0
    while left:
        block = source.read(min(left, _BLOCK_BYTES))
        if not block:
            break
        kept.write(block)
        length += len(block)
        left -= len(block)
    if left and not chunked:
        raise ConnectionResetError(errno.ECONNRESET, "the client disconnected")
    kept.seek(0)
    environ["CONTENT_LENGTH"] = str(length)
    environ["wsgi.input"] = environ["clusterwright.body"] = kept


def _rewind(environ: dict[str, Any]) -> None:
    kept = environ["clusterwright.body"]
    if getattr(kept, "closed", False):
        raise ValueError("the body of the request was closed")
    kept.seek(0)
    environ["wsgi.input"] = kept


def _malformed(message: str) -> Answer:
    """Return the answer to a malformed HTTP request."""
    return (
        400,
        {"Content-Type": "text/xml", "Connection": "close"},
        f"<ErrorResponse><Error><Type>Sender</Type><Code>IncompleteBody</Code>"
        f"<Message>{message}</Message></Error></ErrorResponse>",
    )


def _moto_name(host: str, by_url: Callable[[str], str | None]) -> str | None:
    from moto import backends

    if host.startswith("pricing."):
        return "pricing"
    if host in backends.list_of_moto_modules():
        return host
    return by_url(f"http://{host}")


def _bind(port: int) -> list[socket.socket]:
    first = _bound(socket.AF_INET, IPV4, port)
    try:
        return [first, *_ipv6(port)]
    except PortInUseError:
        first.close()
        raise


def _ipv6(port: int) -> list[socket.socket]:
    try:
        return [_bound(socket.AF_INET6, IPV6, port)]
    except OSError:  # a machine without IPv6
        return []


def _bound(family: int, address: str, port: int) -> socket.socket:
    import errno

    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.bind((address, port))
        bound.listen(256)
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRINUSE:
            raise PortInUseError(f"port {port} is in use") from error
        raise
    return bound


def _warm() -> None:
    from clusterwright_localaws.services import import_lock, prepare

    for service in _WARM:
        # A broken service reports its error to its callers, not here.
        with contextlib.suppress(Exception), import_lock():
            prepare(service)
            _import_moto(service)


def _import_moto(service: str) -> None:
    from moto import backends

    name = service.replace("-", "")
    if name in backends.list_of_moto_modules():
        backends.get_backend(name)  # type: ignore[call-overload]


def say(message: str) -> None:
    """Print one line on stderr."""
    print(message, file=sys.stderr, flush=True)
