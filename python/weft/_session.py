"""Running texts and files, with values that are given and values that come back."""

import base64
import numbers
import os

import numpy as np

from . import _client
from ._array import Array, array
from ._memory import received, shared, spare


class Result(dict):
    """What a run gave: values by their names, in the order of the text.

    shown: what it showed, as a list of texts and of pictures (bytes of PNG files); files: those it wrote;
    warnings: what it found strange; summary: what was done and how long it took.
    """

    def __init__(self, reply, lent):
        super().__init__((v["name"], _value(v, lent)) for v in reply["values"])
        self.shown = [base64.b64decode(p["png"]) if "png" in p else p["text"] for p in reply["shown"]]
        self.files = reply["files"]
        self.warnings = [_client.Mistake(m) for m in reply["warnings"]]
        self.warned = reply["warned"]
        self.summary = reply["summary"]

    @property
    def value(self):
        """The only value, or that of the last line."""
        if "_" in self:
            return self["_"]
        if len(self) != 1:
            raise KeyError(f"there are {len(self)} values: {', '.join(self)}")
        return next(iter(self.values()))

    def to_xarray(self):
        """All arrays as an xarray.Dataset; records give one variable a part: fit.velocity."""
        import xarray

        found = {}

        def add(name, v):
            if isinstance(v, Array):
                found[name] = v.to_xarray()
            elif isinstance(v, dict):
                for part, w in v.items():
                    add(f"{name}.{part}", w)

        for name, v in self.items():
            add(name, v)
        return xarray.Dataset(found)


class Record(dict):
    """A record of values: its parts are attributes, too."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the record has no {name}: its parts are {', '.join(self)}") from None


def _value(v, lent):
    """A value as Python has it. lent: memory that weft may have written it to."""
    if v.get("record") is not None:
        return Record((part["name"], _value(part, lent)) for part in v["record"])
    a = v.get("array")
    if a is None:
        n = v.get("value", v["text"])
        return array(np.float64(n), dims=[], unit=v["unit"]) if v.get("unit") else n
    out = received(a["path"], a["dtype"], tuple(d["size"] for d in a["dims"]), lent).view(Array)
    out.dims = tuple(d["name"] for d in a["dims"])
    out.unit = a.get("unit", "")
    out.coords = {d["name"]: np.array(d["coords"], dtype=float) for d in a["dims"] if d.get("coords")}
    out.coord_units = {d["name"]: d["unit"] for d in a["dims"] if d.get("unit")}
    return out


def _request(text_or_file, values):
    """The request that runs a text, or a file: one line ending in .weft."""
    text, file = str(text_or_file), ""
    if isinstance(text_or_file, os.PathLike) or text.endswith(".weft") and "\n" not in text:
        file = text
        with open(file, encoding="utf-8") as f:
            text = f.read()
    arrays, params, memory = {}, {}, []
    try:
        for name, v in values.items():
            if isinstance(v, str):
                params[name] = v
            elif isinstance(v, bool):
                params[name] = "true" if v else "false"
            elif isinstance(v, numbers.Real) and not isinstance(v, np.ndarray):
                params[name] = repr(v.item() if isinstance(v, np.generic) else v)
            else:
                arrays[name] = _shared(name, v, memory)
    except BaseException:
        for m in memory:
            spare.give(m)
        raise
    return {"text": text, "file": file, "folder": os.getcwd(), "arrays": arrays, "params": params}, memory


def _shared(name, v, memory):
    """An array in memory that weft can map."""
    if v is None:
        raise TypeError(f"{name} is None")
    try:
        v = array(v)
    except ValueError as e:
        if np.ndim(v) > 0 and not hasattr(v, "coords"):
            e = f"it has {np.ndim(v)} dimensions, of shape {np.shape(v)}: name them with weft.array({name}, dims=[...])"
        raise ValueError(f"{name}: {e}") from None
    except TypeError as e:
        raise TypeError(f"{name}: {e}") from None
    if v.size == 0:
        raise ValueError(f"{name} has no elements, of shape {v.shape}: weft has no empty arrays")
    m, dtype = shared(v)
    memory.append(m)
    dims = []
    for d, n in zip(v.dims, v.shape):
        one = {"name": d, "size": n}
        if d in v.coords:
            one["coords"] = v.coords[d].tolist()
        if v.coord_units.get(d):
            one["unit"] = v.coord_units[d]
        dims.append(one)
    return {"dtype": dtype.name, "dims": dims, "unit": v.unit, "path": m.path, "offset": 4096}


def _run(call, request, memory, held=()):
    """The result of a request, and the memory that the session behind it reads from now on. What nothing needs is spare again."""
    lent = spare.lend()
    request["spare"] = [m.path for m in lent]
    try:
        result, kept = call("run", request, lambda reply: (Result(reply, lent), reply["kept"]))
    except BaseException:
        for m in memory:
            m.close()
        raise
    finally:
        spare.regain(lent)
    for m in (*held, *memory):
        if m.path not in kept:
            spare.give(m)
    return result, [m for m in (*held, *memory) if m.path in kept]


class Session:
    """Names and what was computed of them, kept from call to call, as at the prompt of `weft repl`.

    memory: the limit of its arrays, such as "2GiB"; threads: launches at once; devices: a file of emulated devices.
    """

    def __init__(self, memory=None, threads=None, devices=None):
        self._arguments = []
        for flag, v in (("--memory", memory), ("--threads", threads), ("--devices", devices)):
            if v is not None:
                self._arguments += [flag, str(v)]
        self._client = None
        self._held = []  # memory of values that it was given

    def _call(self, method, request, then=lambda result: result):
        with _client.starting:
            if self._client is not None and not self._client.alive():
                self.close()
                raise _client.Interrupted("weft has ended, and what this session knew is gone; the next call starts it again")
            self._client = client = _client.running(self._client, self._arguments)
        try:
            return client.call(method, request, then)
        except _client.Interrupted:
            self.close()
            raise

    def run(self, text_or_file, want=None, **values):
        """Enter a text: definitions are kept, and what stands alone is shown. want: names whose values come back; that of the last line, _, when
        left out."""
        request, memory = _request(text_or_file, values)
        request.update(session="session", want=[want] if isinstance(want, str) else want)
        result, self._held = _run(self._call, request, memory, self._held)
        return result

    def __getitem__(self, name):
        """The value of a name, computed if it was not."""
        return self.run("", want=[name])[name]

    def explain(self, text, format="text", **values):
        """What would run, and why."""
        request, memory = _request(text, values)
        request.update(session="session", format=format, want=[])
        try:
            return self._call("explain", request)
        finally:
            for m in memory:
                m.close()

    def close(self):
        """End the process behind it."""
        if self._client is not None:
            self._client.close()
            self._client = None
        for m in self._held:
            m.close()
        self._held = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def run(text_or_file, want=None, **values):
    """Run a pipeline: a text, or a file whose name ends in .weft.

    values: arrays (weft.array, xarray.DataArray) and numbers by the names that they have in the text; there they take the place of what
    the text defines. A text is a value as the language writes it: fc="5 MHz".
    want: names whose values come back; those that nothing else in the text is made of when left out.
    """
    request, memory = _request(text_or_file, values)
    request["want"] = [want] if isinstance(want, str) else want
    return _run(lambda *call: _client.shared().call(*call), request, memory)[0]


def explain(text_or_file, format="text", **values):
    """What a run of a pipeline would do, and why: as text, html, json or yaml."""
    request, memory = _request(text_or_file, values)
    request.update(want=None, format=format)
    try:
        return _client.shared().call("explain", request)
    finally:
        for m in memory:
            spare.give(m)
