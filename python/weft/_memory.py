"""Memory that two processes map, so that arrays need not go through a pipe."""

import collections
import mmap
import os
import tempfile
import threading
import weakref

import numpy as np

MARGIN = 4096  # bytes before and behind the elements, which weft may read
LARGE = 8 << 20  # bytes from which memory is worth keeping, and several threads copy
IDLE = 8  # calls for which memory is kept that none of them takes


class Memory:
    """A file in memory, which weft opens by its path."""

    def __init__(self, size, file=None):
        if file is None:
            self.path, self.file = _create(size)
        else:
            self.path, self.file = f"/proc/{os.getpid()}/fd/{file}", file
        self.size, self.idle, self.owner = size, 0, os.getpid()
        self.map = mmap.mmap(self.file, size, flags=mmap.MAP_SHARED | (getattr(mmap, "MAP_POPULATE", 0) if file is None else 0))

    def close(self):
        """Give it up on this side. What weft has mapped stays there until it does not need it any more."""
        self.map = None  # unmapped once no array is left in it
        os.close(self.file)
        if not self.path.startswith("/proc/"):
            os.unlink(self.path)


class Spare:
    """Memory that nothing needs now, kept for the next arrays: to get pages from the system takes several times as long as to fill them."""

    def __init__(self):
        self.lock = threading.Lock()
        self.free = []
        self.back = collections.deque()  # of arrays that are gone: they may end within any other call, of this thread too
        try:
            self.most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 8
        except (ValueError, OSError):
            self.most = 0

    def give(self, memory):
        """Take memory back."""
        self.back.append(memory)

    def _sort(self):
        if self.free and self.free[0].owner != os.getpid():  # a fork has what the process before it may use
            self.free = []
        while self.back:
            m = self.back.popleft()
            if m.owner == os.getpid() and m.size >= LARGE and m.path.startswith("/proc/") and m.size + sum(other.size for other in self.free) <= self.most:
                m.idle = 0
                self.free.append(m)
            else:
                m.close()

    def take(self, size):
        """Memory of a size: the smallest that there is, unless that is much too large, or new."""
        with self.lock:
            self._sort()
            fits = [m for m in self.free if size <= m.size <= 2 * size]
            if fits:
                best = min(fits, key=lambda m: m.size)
                self.free.remove(best)
                return best
        return Memory(size)

    def lend(self):
        """All of it, for weft to write to within a call: what it has not taken is to be given back."""
        with self.lock:
            self._sort()
            for m in self.free:
                m.idle += 1
            lent, old = [m for m in self.free if m.idle <= IDLE], [m for m in self.free if m.idle > IDLE]
            self.free = []
        for m in old:
            m.close()
        return lent

    def regain(self, lent):
        """What was lent and not taken."""
        with self.lock:
            self.free += lent


spare = Spare()


def shared(values):
    """The elements of an array in C order, in memory for weft, and the type that they have there."""
    values = np.asarray(values)
    dtype = values.dtype.newbyteorder("=")
    if dtype == np.uint64 or dtype.kind not in "biufc" or dtype.itemsize > 16 or dtype == np.longdouble:
        dtype = _stored(values)
    memory = spare.take(MARGIN + values.size * dtype.itemsize + MARGIN)
    _copy(np.ndarray(values.shape, dtype, memory.map, MARGIN), values)
    return memory, dtype


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


def received(path, dtype, shape, lent):
    """The array that weft has left in memory, in its own or in some of what was lent. The memory stays for as long as the array is used."""
    dtype = np.dtype(dtype)
    memory = next((m for m in lent if m.path == path), None)
    if memory is not None:
        lent.remove(memory)
        memory.idle = 0
    else:
        file = os.open(path, os.O_RDWR)
        if not path.startswith("/proc/"):
            os.unlink(path)
        length = max(1, int(np.prod(shape, dtype=np.int64)) * dtype.itemsize)
        if length < LARGE or not path.startswith("/proc/"):
            try:
                return np.ndarray(shape, dtype, mmap.mmap(file, length))
            finally:
                os.close(file)
        memory = Memory(length, file)
    array = np.ndarray(shape, dtype, memory.map)
    weakref.finalize(array, spare.give, memory).atexit = False
    return array
