"""Memory that two processes map, so that arrays need not go through a pipe."""

import mmap
import os
import tempfile
import threading

import numpy as np

MARGIN = 4096  # bytes before and behind the elements, which weft may read
LARGE = 8 << 20  # bytes from which several threads copy


class Shared:
    """Memory that is given to weft: the elements of an array, in C order."""

    def __init__(self, values):
        values = np.asarray(values)
        dtype = values.dtype.newbyteorder("=")
        if dtype == np.uint64 or dtype.kind not in "biufc" or dtype.itemsize > 16 or dtype == np.longdouble:
            dtype = _stored(values)
        size = MARGIN + values.size * dtype.itemsize + MARGIN
        self.path, self.file = _create(size)
        self.map = mmap.mmap(self.file, size, flags=mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0))
        self.dtype = dtype
        into = np.ndarray(values.shape, dtype, self.map, MARGIN)
        _copy(into, values)

    def close(self):
        """Give it up on this side. What weft has mapped stays there until it does not need it any more."""
        os.close(self.file)
        if not self.path.startswith("/proc/"):
            os.unlink(self.path)


def _stored(values):
    """The type that weft has for elements that it has not."""
    if values.dtype.kind == "u" and values.dtype.itemsize == 8:
        if values.size and values.max() > np.iinfo(np.int64).max:
            raise ValueError("the array holds whole numbers beyond 2^63 - 1, which weft does not have")
        return np.dtype(np.int64)
    if values.dtype.kind == "f":
        return np.dtype(np.float64)
    if values.dtype.kind == "c":
        return np.dtype(np.complex128)
    raise TypeError(f"weft has no elements of type {values.dtype}")


def _create(size):
    """An open file of a size, without a name where the system has such."""
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("weft", os.MFD_CLOEXEC)
        path = f"/proc/{os.getpid()}/fd/{file}"
    else:
        file, path = tempfile.mkstemp(prefix="weft-")
    os.ftruncate(file, size)
    return path, file


def _copy(into, values):
    """Copy an array, with several threads where that is worth it."""
    workers = min(os.cpu_count() or 1, 4)
    if into.nbytes < LARGE or into.ndim == 0 or into.shape[0] < workers or not values.flags.c_contiguous:
        into[...] = values
        return
    cuts = [into.shape[0] * i // workers for i in range(workers + 1)]
    threads = [threading.Thread(target=np.copyto, args=(into[a:b], values[a:b]), kwargs={"casting": "unsafe"}) for a, b in zip(cuts, cuts[1:])]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def received(path, dtype, shape):
    """The array that weft has in its memory, which stays for as long as it is used."""
    dtype = np.dtype(dtype)
    file = os.open(path, os.O_RDWR)
    try:
        if not path.startswith("/proc/"):
            os.unlink(path)
        length = max(1, int(np.prod(shape, dtype=np.int64)) * dtype.itemsize)
        return np.ndarray(shape, dtype, mmap.mmap(file, length))
    finally:
        os.close(file)
