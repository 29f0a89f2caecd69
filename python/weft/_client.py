"""The process `weft serve` and what is said to it: JSON-RPC 2.0 over its standard input and output."""

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

PROTOCOL = 2


class WeftError(Exception):
    """Something that weft says is wrong. `mistakes` are what it found in the text, if that is what is wrong."""

    def __init__(self, message, mistakes=()):
        super().__init__(message)
        self.mistakes = list(mistakes)


class Interrupted(WeftError):
    """The weft process ended before it answered."""


class Mistake:
    """What is wrong at a place of a text."""

    def __init__(self, fields):
        self.code = fields["code"]
        self.message = fields["message"]
        self.help = fields.get("help", "")
        self.file, self.line, self.column = fields.get("file", ""), fields.get("line", 0), fields.get("column", 0)
        self.warning = fields.get("warning", False)

    def __repr__(self):
        return f"{'warning' if self.warning else 'error'}[{self.code}] line {self.line}: {self.message}"


def executable():
    """The weft program: $WEFT, or the one on the path."""
    named = os.environ.get("WEFT")
    found = shutil.which(named or "weft")
    if not found:
        raise WeftError(f"WEFT names {named}, which is no program" if named else "no program weft is on the path: build it with `go build`, and put it there or name it in the variable WEFT")
    return found


class Client:
    """A running `weft serve`. Requests are answered one by one."""

    def __init__(self, arguments=()):
        self.errors = tempfile.TemporaryFile()  # what weft says beside its answers
        self.process = subprocess.Popen([executable(), "serve", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, start_new_session=True)
        self.lock = threading.Lock()
        self.buffer = bytearray()  # what was read, from the last message on
        self.said = 0  # bytes of errors that were told
        self.last = 0
        try:
            said = self.call("hello")
        except Interrupted:
            self.close()
            raise
        if said["protocol"] != PROTOCOL:
            self.close()
            raise WeftError(f"weft {said['weft']} speaks protocol {said['protocol']}, and this package {PROTOCOL}: take both of one version")

    def alive(self):
        return self.process.poll() is None

    def close(self):
        """End the process: it sees that nobody talks to it any more."""
        atexit.unregister(self.close)
        for pipe in (self.process.stdin, self.process.stdout, self.errors):
            try:
                pipe.close()
            except OSError:
                pass  # it was gone
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def call(self, method, params=None, then=lambda result: result):
        """Ask for something, wait for the answer, and give what `then` makes of it: memory that it names is weft's until the next call.
        Ctrl-C, and whatever else is raised meanwhile, cancels it."""
        with self.lock:
            self.last += 1
            try:
                request = {"jsonrpc": "2.0", "id": self.last, "method": method}
                self._send(request if params is None else {**request, "params": params})
                reply = self._answer()
            except (BrokenPipeError, ConnectionError, EOFError):
                code = self.process.wait()
                raise Interrupted(f"weft ended before it answered (exit code {code}); the next call starts it again\n{self._said()}".rstrip()) from None
            sys.stderr.write(self._said())
            if "error" in reply:
                error = reply["error"]
                data = error.get("data") or {}
                raise WeftError(data.get("text") or error["message"], [Mistake(m) for m in data.get("mistakes", ())])
            return then(reply["result"])

    def _said(self):
        """What weft has said beside its answers since the last time."""
        size = os.fstat(self.errors.fileno()).st_size
        text = os.pread(self.errors.fileno(), size - self.said, self.said).decode(errors="replace") if size > self.said else ""
        self.said = size
        return text

    def _answer(self):
        """The answer to the last request. An interruption asks for its end, and is raised when that is answered."""
        interrupted = None
        while True:
            try:
                reply, end = self._receive()
                while reply.get("id") != self.last:
                    del self.buffer[:end]
                    if reply.get("id", 0) is None:  # it could not be read
                        return reply
                    reply, end = self._receive()
                if interrupted is not None:
                    raise interrupted
                return reply
            except (BrokenPipeError, ConnectionError, EOFError):
                raise
            except BaseException as e:
                if interrupted is not None:
                    raise
                interrupted = e
                self._send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": self.last}})

    def _send(self, message):
        body = json.dumps(message, allow_nan=False).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _receive(self):
        """The message at the beginning of what was read, and where it ends. It stays there, so that an interruption loses none."""
        while True:
            start = self.buffer.find(b"\r\n\r\n") + 4
            if start >= 4:
                lengths = [value for name, _, value in (line.partition(b":") for line in bytes(self.buffer[:start]).split(b"\r\n")) if name.lower() == b"content-length"]
                end = start + int(lengths[0])
                if len(self.buffer) >= end:
                    return json.loads(self.buffer[start:end]), end
            more = os.read(self.process.stdout.fileno(), 1 << 20)
            if not more:
                raise EOFError
            self.buffer += more


def running(client, arguments):
    """A client, or a new one where it has none or its process has ended."""
    if client is not None and client.alive():
        return client
    if client is not None:
        client.close()
    client = Client(arguments)
    atexit.register(client.close)
    return client


_shared = None
starting = threading.Lock()  # so that two threads do not start two


def shared():
    """The process that runs whatever names no session; it is started with the first call."""
    global _shared
    with starting:
        _shared = running(_shared, ())
        return _shared
