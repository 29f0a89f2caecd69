"""Computes programs in NumPy, in float64, with bounds: every value is an interval that holds the exact result and whatever rounding in the
element type of each operation makes of it. A comparison within rounding is undecided, and all that follows from it holds both outcomes, so a
tie is never a mismatch, and a result outside of its interval always is one.

Reads a batch as JSON from each line of standard input, and answers with a line: what does not agree, and how much was compared.
"""
import json
import os
import sys

import numpy as np

F32MAX, TINY32, TINY64 = 3.4028234e38, 4e-38, 1e-300
PI = np.pi


class Val:
    """lo and hi bound the value; nan says where it may be NaN, only where it is nothing else. Integers and booleans are the same without NaN."""

    rounds = True  # arithmetic stands in what makes the value, whether or not an element comes from it

    def __init__(self, kind, dims, lo, hi, nan=None, only=None):
        self.kind, self.dims = kind, dims
        parts = [np.asarray(x) for x in (lo, hi, False if nan is None else nan, False if only is None else only)]
        shape = np.broadcast_shapes(parts[0].shape, parts[1].shape)
        self.lo, self.hi, self.nan, self.only = (x if x.shape == shape else np.broadcast_to(x, shape) for x in parts)

    def ordered(self, dims):
        """with its dimensions in another order"""
        order = [self.dims.index(d) for d in dims]
        return self.map(lambda a: np.transpose(a, order), dims)

    def map(self, f, dims=None):
        """the same elements at other places"""
        return Val(self.kind, self.dims if dims is None else dims, f(self.lo), f(self.hi), f(self.nan), f(self.only))


def unit_roundoff(kind):
    return 2.0**-24 if kind == "f32" else 2.0**-53


overflows = False  # whether a float32 left its range since this was last cleared


def rounded(kind, dims, lo, hi, nan=False, only=False, ulps=2, slack=0.0):
    """a result of a float type: widened by some roundings, and by slack"""
    if kind in ("i32", "i64"):
        return whole(kind, dims, lo, hi)
    u = unit_roundoff(kind) * ulps
    tiny = TINY32 if kind == "f32" else TINY64
    undefined = np.isnan(lo) | np.isnan(hi)
    lo, hi = np.where(undefined, -np.inf, lo), np.where(undefined, np.inf, hi)
    big = F32MAX * (1 - 1e-6) if kind == "f32" else 1.7e308
    global overflows
    overflows = overflows or kind == "f32" and bool((np.isfinite(lo) & (lo < -big) | np.isfinite(hi) & (hi > big)).any())
    with np.errstate(all="ignore"):
        lo = np.where(np.isinf(lo), lo, lo - np.abs(lo) * u - tiny - slack)
        hi = np.where(np.isinf(hi), hi, hi + np.abs(hi) * u + tiny + slack)
    lo = np.where(lo < -big, -np.inf, np.where(lo == np.inf, big, np.minimum(lo, big)))
    hi = np.where(hi > big, np.inf, np.where(hi == -np.inf, -big, np.maximum(hi, -big)))
    return Val(kind, dims, lo, hi, np.asarray(nan) | undefined, only & ~undefined)


def whole(kind, dims, lo, hi):
    """an integer result, of 32 bits held at the ends of their range; beyond 2^53 float64 does not know it, and beyond 64 bits, which 32 are made of, a run may
    be refused"""
    global overflows
    limit = 2.0**62
    with np.errstate(invalid="ignore"):
        out = ~((lo >= -limit) & (hi < limit))
        overflows = overflows or bool(out.any())
    if kind == "i32":
        least, most = -(2.0**31), 2.0**31 - 1
        return Val(kind, dims, np.where(out, least, np.clip(lo, least, most)), np.where(out, most, np.clip(hi, least, most)))
    with np.errstate(invalid="ignore"):
        slack = np.where(np.maximum(np.abs(lo), np.abs(hi)) > 2.0**52, np.maximum(np.abs(lo), np.abs(hi)) * 2.0**-50, 0)
    lo, hi = np.where(out, -np.inf, lo - slack), np.where(out, np.inf, hi + slack)
    return Val(kind, dims, lo, hi)


def aligned(vals):
    """arrays over the dimensions of all, joined by name"""
    dims = []
    for v in vals:
        dims += [d for d in v.dims if d not in dims]

    def spread(v):
        order = sorted(range(len(v.dims)), key=lambda i: dims.index(v.dims[i]))
        at = tuple(slice(None) if d in v.dims else None for d in dims)
        return v.map(lambda a: np.transpose(a, order)[at], dims)

    return dims, [spread(v) for v in vals]


def to_float(v, kind):
    """an operand in the type of a float operation"""
    if v.kind in ("f32", "f64"):
        if kind == "f32" and v.kind == "f64":
            return rounded("f32", v.dims, v.lo, v.hi, v.nan, v.only, ulps=1)
        return v
    exact = np.maximum(np.abs(v.lo), np.abs(v.hi)) <= (2.0**24 if kind == "f32" else 2.0**52)
    r = rounded(kind, v.dims, v.lo, v.hi, ulps=1)
    return Val(kind, v.dims, np.where(exact, v.lo, r.lo), np.where(exact, v.hi, r.hi))


def corners(f, a, b):
    with np.errstate(all="ignore"):
        c = [f(a.lo, b.lo), f(a.lo, b.hi), f(a.hi, b.lo), f(a.hi, b.hi)]
    bad = sum(np.isnan(x) for x in c) > 0
    lo = np.where(bad, np.nan, np.minimum.reduce(c))
    return lo, np.where(bad, np.nan, np.maximum.reduce(c))


def nans(*vals):
    return sum(v.nan for v in vals) > 0, sum(v.only for v in vals) > 0


def arithmetic(op, kind, a, b):
    dims, (a, b) = aligned([a, b])
    if kind in ("f32", "f64"):
        a, b = to_float(a, kind), to_float(b, kind)
    nan, only = nans(a, b)
    with np.errstate(all="ignore"):
        if op == "add":
            lo, hi = a.lo + b.lo, a.hi + b.hi
            nan = nan | np.isinf(a.lo) & np.isinf(b.hi) | np.isinf(a.hi) & np.isinf(b.lo)
        elif op == "sub":
            lo, hi = a.lo - b.hi, a.hi - b.lo
            nan = nan | np.isinf(a.lo) & np.isinf(b.lo) | np.isinf(a.hi) & np.isinf(b.hi)
        elif op == "mul":
            lo, hi = corners(np.multiply, a, b)
            for x, y in (a, b), (b, a):
                nan = nan | (x.lo <= 0) & (x.hi >= 0) & (np.isinf(y.lo) | np.isinf(y.hi))
        elif op == "div":
            lo, hi = corners(np.divide, a, b)
            zero = (b.lo <= 0) & (b.hi >= 0)
            lo, hi = np.where(zero, np.nan, lo), np.where(zero, np.nan, hi)
    return rounded(kind, dims, lo, hi, nan, only)


def extremes(op, kind, a, b):
    dims, (a, b) = aligned([a, b])
    if kind in ("f32", "f64"):
        a, b = to_float(a, kind), to_float(b, kind)
    f = np.minimum if op == "min" else np.maximum
    nan, only = nans(a, b)
    return Val(kind, dims, f(a.lo, b.lo), f(a.hi, b.hi), nan, only)


def compare(op, a, b, kind):
    dims, (a, b) = aligned([a, b])
    if kind in ("f32", "f64"):
        a, b = to_float(a, kind), to_float(b, kind)
    nan, only = nans(a, b)
    if op == "less":
        sure, never = a.hi < b.lo, a.lo >= b.hi
    elif op == "less_equal":
        sure, never = a.hi <= b.lo, a.lo > b.hi
    else:
        sure = (a.lo == a.hi) & (b.lo == b.hi) & (a.lo == b.lo)
        never = (a.hi < b.lo) | (b.hi < a.lo)
    sure, never = sure & ~nan, never | only
    if op == "not_equal":
        sure, never = never, sure
    return Val("bool", dims, np.where(sure, 1.0, 0.0), np.where(never, 0.0, 1.0))


def where(kind, c, a, b):
    dims, (c, a, b) = aligned([c, a, b])
    if kind in ("f32", "f64"):
        a, b = to_float(a, kind), to_float(b, kind)
    yes, no = c.lo > 0, c.hi < 1

    def pick(x, y, join):
        return np.where(yes, x, np.where(no, y, join(x, y)))

    return Val(kind, dims, pick(a.lo, b.lo, np.minimum), pick(a.hi, b.hi, np.maximum),
               pick(a.nan, b.nan, np.logical_or), pick(a.only, b.only, np.logical_and))


def power(kind, a, n):
    a = to_float(a, kind) if kind in ("f32", "f64") else a
    with np.errstate(all="ignore"):
        x, y = a.lo**n, a.hi**n
        if n == 0.5:
            return root(kind, a)
        if n != int(n):
            lo, hi = np.where(a.lo < 0, 0.0, x), y
            if n < 0:
                lo, hi = y, np.where(a.lo <= 0, np.inf, x)
            lo, hi = np.minimum(lo, hi), np.maximum(lo, hi)
            nan, only = a.nan | (a.lo < 0), a.only | (a.hi < 0) & (a.lo > -np.inf)
            lo, hi = np.where(only, 0.0, lo), np.where(only, 0.0, hi)
            edge = (a.lo <= 0) & (a.hi >= 0) | (a.lo == -np.inf)  # pow of C has its own mind about zeros and infinities
            lo, hi = np.where(edge & ((n < 0) | (a.lo == -np.inf)), -np.inf, lo), np.where(a.lo == -np.inf, np.inf, hi)
            ulps = 16 + 4 * np.abs(n * np.log(np.clip(np.maximum(np.abs(a.lo), np.abs(a.hi)), 1.0, 1e300)))
            ulps = np.maximum(ulps, 16 + 4 * np.abs(n * np.log(np.clip(np.abs(a.lo), 1e-45, 1.0))))
            return rounded(kind, a.dims, lo, np.where(np.isnan(hi), np.inf, hi), nan, only, ulps=ulps)
        lo, hi = np.minimum(x, y), np.maximum(x, y)
        cross = (a.lo <= 0) & (a.hi >= 0)
        if n < 0:
            global overflows
            p = np.where(cross, 0.0, np.minimum(np.abs(a.lo), np.abs(a.hi))) ** -n  # 0: how far it goes beside the pole is not known
            overflows = overflows or bool((p < 1e-36).any())
            lo, hi = np.where(cross | (p < 1e-36), np.nan, lo), np.where(cross, np.nan, hi)
        elif n > 0 and n % 2 == 0:
            lo = np.where(cross, 0.0, lo)
    return rounded(kind, a.dims, lo, hi, a.nan if n else False, a.only if n else False, ulps=4 * abs(n) + 4)


def root(kind, a):
    a = to_float(a, kind)
    with np.errstate(invalid="ignore"):
        r = rounded(kind, a.dims, np.sqrt(np.maximum(a.lo, 0)), np.sqrt(np.maximum(a.hi, 0)), a.nan | (a.lo < 0), a.only | (a.hi < 0))
    return r


def turning(f, kind, a):
    """sin and cos"""
    a = to_float(a, kind)
    shift = 0.0 if f is np.sin else PI / 2
    with np.errstate(all="ignore"):
        x, y = f(a.lo), f(a.hi)
        lo, hi = np.minimum(x, y), np.maximum(x, y)
        first = np.floor((a.lo + shift - PI / 2) / (2 * PI)) + 1
        hi = np.where(PI / 2 + 2 * PI * first <= a.hi + shift, 1.0, hi)
        first = np.floor((a.lo + shift + PI / 2) / (2 * PI)) + 1
        lo = np.where(-PI / 2 + 2 * PI * first <= a.hi + shift, -1.0, lo)
        far = ~((np.abs(a.lo) < 1e4) & (np.abs(a.hi) < 1e4))
        lo, hi = np.where(far, -1.0, lo), np.where(far, 1.0, hi)
        nan = a.nan | np.isinf(a.lo) | np.isinf(a.hi)
        slack = (4e-7 if kind == "f32" else 1e-14)
        return rounded(kind, a.dims, lo, hi, nan, a.only, ulps=4, slack=slack)


def tangent(kind, a):
    a = to_float(a, kind)
    with np.errstate(all="ignore"):
        x, y = np.tan(a.lo), np.tan(a.hi)
        pole = np.floor((a.lo + PI / 2) / PI) != np.floor((a.hi + PI / 2) / PI)
        bad = pole | ~(np.abs(a.lo) < 1e4) | ~(np.abs(a.hi) < 1e4) | (np.maximum(np.abs(x), np.abs(y)) > 1e3)
        lo, hi = np.where(bad, np.nan, x), np.where(bad, np.nan, y)
        slack = np.where(bad, 0, (1 + np.maximum(x * x, y * y)) * (4e-7 if kind == "f32" else 1e-14))
    return rounded(kind, a.dims, lo, hi, a.nan, a.only, ulps=8, slack=slack)


def logarithm(f, kind, a):
    a = to_float(a, kind)
    with np.errstate(all="ignore"):
        lo = np.where(a.lo <= 0, -np.inf, f(a.lo))
        hi = np.where(a.hi <= 0, -np.inf, f(np.maximum(a.hi, 0)))
        lo = np.where((a.lo < TINY32) & (a.lo > 0) & (kind == "f32"), -np.inf, lo)
    return rounded(kind, a.dims, lo, hi, a.nan | (a.lo < 0), a.only | (a.hi < 0), ulps=8, slack=4e-7 if kind == "f32" else 1e-15)


def exponential(kind, a):
    a = to_float(a, kind)
    with np.errstate(all="ignore"):
        ulps = 8 + 2 * np.minimum(np.maximum(np.abs(a.lo), np.abs(a.hi)), 800)
        return rounded(kind, a.dims, np.exp(a.lo), np.exp(a.hi), a.nan, a.only, ulps=ulps)


def angle(kind, y, x):
    dims, (y, x) = aligned([y, x])
    y, x = to_float(y, kind), to_float(x, kind)
    nan, only = nans(x, y)
    with np.errstate(all="ignore"):
        c = [np.arctan2(q, p) for q in (y.lo, y.hi) for p in (x.lo, x.hi)]
    cut = (x.lo <= 0) & (y.lo <= 0) & (y.hi >= 0)
    inf = np.isinf(x.lo) | np.isinf(x.hi) | np.isinf(y.lo) | np.isinf(y.hi)
    far = np.maximum(np.maximum(np.abs(x.lo), np.abs(x.hi)), np.maximum(np.abs(y.lo), np.abs(y.hi))) > 1e30
    near = np.minimum(np.minimum(np.abs(x.lo), np.abs(x.hi)), np.minimum(np.abs(y.lo), np.abs(y.hi))) < 1e-30
    wild = cut | inf | far | near
    slack = 2e-6 if kind == "f32" else 1e-13
    return rounded(kind, dims, np.where(wild, -PI, np.minimum.reduce(c)), np.where(wild, PI, np.maximum.reduce(c)), nan | inf, only, slack=slack)


def magnitude(a):
    inside = (a.lo <= 0) & (a.hi >= 0)
    lo, hi = np.where(inside, 0.0, np.minimum(np.abs(a.lo), np.abs(a.hi))), np.maximum(np.abs(a.lo), np.abs(a.hi))
    if a.kind in ("bool", "i32", "i64"):
        return whole("i64" if a.kind == "i64" else "i32", a.dims, lo, hi)
    return Val(a.kind, a.dims, lo, hi, a.nan, a.only)


def squared(x, kind):
    """where the square of a magnitude leaves the range of float32"""
    global overflows
    wild = (x > 1.8e19) & (kind == "f32")
    overflows = overflows or bool((wild & np.isfinite(x)).any())
    return wild | np.isinf(x)


def hypotenuse(kind, re, im):
    dims, (re, im) = aligned([re, im])
    re, im = to_float(re, kind), to_float(im, kind)
    nan, only = nans(re, im)
    x, y = magnitude(re), magnitude(im)
    with np.errstate(all="ignore"):
        lo, hi = np.sqrt(x.lo**2 + y.lo**2), np.sqrt(x.hi**2 + y.hi**2)
        squared(x.hi, kind), squared(y.hi, kind)  # one may overflow where the other, and so the root, has no bound
        wild = squared(hi, kind)
        hi = np.where(wild, np.inf, hi)
        lo = np.where((x.lo < 1e-18) | (y.lo < 1e-18), np.maximum(lo - 1e-18, 0), lo)
        nan = nan | wild & (np.isinf(x.hi) | np.isinf(y.hi))
    return rounded(kind, dims, lo, hi + 1e-18, nan, only, ulps=6)


def cast(kind, a):
    if kind in ("f32", "f64"):
        v = to_float(a, kind)
        return Val(kind, v.dims, v.lo, v.hi, v.nan, v.only)
    if kind == "bool":
        yes = (a.lo > 0) | (a.hi < 0) | a.only
        no = (a.lo == 0) & (a.hi == 0) & ~a.nan
        return Val("bool", a.dims, np.where(yes, 1.0, 0.0), np.where(no, 0.0, 1.0))
    if a.kind in ("i32", "i64", "bool"):
        if kind == "i32" and a.kind == "i64":
            return whole("i32", a.dims, a.lo, a.hi)
        return Val(kind, a.dims, a.lo, a.hi)
    low, high = (-(2.0**31), 2.0**31 - 1) if kind == "i32" else (-(2.0**63), 2.0**63)
    lo, hi = np.clip(np.trunc(a.lo), low, high), np.clip(np.trunc(a.hi), low, high)
    lo, hi = np.where(a.only, 0.0, lo), np.where(a.only, 0.0, hi)
    lo, hi = np.where(a.nan, np.minimum(lo, 0), lo), np.where(a.nan, np.maximum(hi, 0), hi)
    return Val(kind, a.dims, lo, hi)


def quantile(x, q, axes):
    """between the sorted elements beside place q (n - 1)"""
    rest = [n for i, n in enumerate(x.shape) if i not in axes]
    x = np.sort(np.moveaxis(x, axes, range(-len(axes), 0)).reshape([*rest, -1]), -1)
    place = q * (x.shape[-1] - 1)
    low = int(place)
    part = place - low
    a, b = x[..., low], x[..., min(low + 1, x.shape[-1] - 1)]
    return np.where((a == b) | (part == 0), a, (1 - part) * a + part * b)


def total(a, axes, add):
    """bounds of sums and of the magnitudes in them, and where infinities of both signs may meet; add gives the last sum, or all on the way"""
    def ever(infinite):
        return add(infinite.astype(float), axes) > 0

    size = add(np.maximum(np.abs(a.lo), np.abs(a.hi)), axes)
    return add(a.lo, axes), add(a.hi, axes), size, ever(np.isinf(a.lo)) & ever(np.isinf(a.hi))


def narrow(kind, rounds, lo, size, axes):
    """How far off a sum may be whose terms are f32, by the sum of their magnitudes, and where it may leave the range on the way: terms that
    arithmetic rounded are added up in f32 over up to 512 of them, each addition off by a roundoff of what there is of the sum; the others in f64"""
    count = int(np.prod([lo.shape[i] for i in axes]))
    if kind != "f32" or not rounds:
        return 0.0, np.zeros(size.shape, bool)
    global overflows
    wild = size > F32MAX / 2
    overflows = overflows or bool((wild & np.isfinite(size)).any())
    return np.where(wild, np.inf, size * unit_roundoff(kind) * (min(count, 512) - 1)), wild


def dot(kind, compute, a, b, over):
    """the sum of a product"""
    return reduce("sum", kind, arithmetic("mul", compute if compute in ("f32", "f64") else "i64", a, b), over)


def cumsum(kind, a, dim):
    axis = a.dims.index(dim)
    with np.errstate(all="ignore"):
        lo, hi, size, mixed = total(a, axis, np.add.accumulate)
        if kind == "i64":
            return whole(kind, a.dims, lo, hi)
        slack = np.where(np.isinf(size), 0, size * 2.0**-52 * a.lo.shape[axis])
        nan, only = np.logical_or.accumulate(a.nan, axis), np.logical_or.accumulate(a.only, axis)
        return rounded(kind, a.dims, np.where(mixed, np.nan, lo), np.where(mixed, np.nan, hi), nan | mixed, only, ulps=4, slack=slack)


def histogram(kind, a, weights, over, first, last, bins, edges):
    """An element that may be in a bin counts at most, one that is in it for certain at least."""
    order = a.dims
    falls = edges is not None and edges[0] > edges[-1]
    w = Val("i64", order, np.ones(a.lo.shape), np.ones(a.lo.shape)) if weights is None else weights.ordered(order)
    with np.errstate(all="ignore"):
        scale = bins / (last - first)
        least, most = (np.clip(np.floor((x - first) * scale + e), 0, bins - 1) for x, e in ((a.lo, -1e-9), (a.hi, 1e-9)))
        exact = a.lo == a.hi  # what f64 makes of it is known
        least = np.where(exact, np.clip(np.floor((a.lo - first) * scale), 0, bins - 1), least)
        most = np.where(exact, least, most)
        if falls:
            least, most = (bins - np.searchsorted(edges[::-1], x, side="left") for x in (a.hi, a.lo))
        elif edges is not None:
            least, most = (np.searchsorted(edges, x, side="right") - 1 for x in (a.lo, a.hi))
        least, most = np.clip(least, 0, bins - 1), np.clip(most, 0, bins - 1)
        may = (a.hi >= first) & (a.lo <= last) & ~a.only
        certain = (a.lo >= first) & (a.hi <= last) & ~a.nan & (least == most)
        parts = []
        for k in range(bins):
            here = may & (least <= k) & (k <= most)
            sure = here & certain
            lo = np.where(here, np.where(sure, w.lo, np.minimum(w.lo, 0)), 0)
            hi = np.where(here, np.where(sure, w.hi, np.maximum(w.hi, 0)), 0)
            one = Val(w.kind, order, lo, hi, w.nan & here, w.only & sure)
            parts.append(reduce("sum", kind, one, over))
    return Val(kind, [*parts[0].dims, "bin"], *[np.stack([getattr(p, n) for p in parts], -1) for n in ("lo", "hi", "nan", "only")])


def reduce(op, kind, a, over, q=0.5):
    axes = tuple(a.dims.index(d) for d in a.dims if d in over)
    dims = [d for d in a.dims if d not in over]
    count = int(np.prod([a.lo.shape[i] for i in axes]))
    with np.errstate(all="ignore"):
        if op in ("any", "all"):
            f = np.max if op == "any" else np.min
            return Val("bool", dims, f(a.lo, axes), f(a.hi, axes))
        if op in ("min", "max"):
            # NaN are skipped: what may be NaN may not count, and what is NaN does not
            worst = np.inf if op == "min" else -np.inf
            f = np.min if op == "min" else np.max
            best, counts = (a.lo, a.hi) if op == "min" else (a.hi, a.lo)
            best = f(np.where(a.only, worst, best), axes)
            sure = f(np.where(a.nan, worst, counts), axes)
            return Val(kind, dims, np.minimum(best, sure), np.maximum(best, sure))
        if op in ("argmin", "argmax"):
            sign = 1.0 if op == "argmin" else -1.0
            lo, hi = (a.lo, a.hi) if op == "argmin" else (-a.hi, -a.lo)
            moved = [np.moveaxis(x, axes, range(-len(axes), 0)).reshape([*[a.lo.shape[i] for i in range(a.lo.ndim) if i not in axes], count])
                     for x in (lo, hi, a.nan, a.only)]
            lo, hi, nan, only = moved
            least = np.min(np.where(nan, np.inf, hi), -1, keepdims=True)
            can = ~only & (lo <= least)
            index = np.arange(count)
            first, last = np.where(can, index, count).min(-1), np.where(can, index, -1).max(-1)
            # the first of those that are certainly the same is it
            exact = can & (lo == hi) & ~nan & (lo == least)
            tied = (exact == can).all(-1)
            last = np.where(tied, first, last)
            # nothing but NaN: 0; nothing but NaN and what no comparison with the start is better than: the first of those, or 0 by its documentation
            none = only.all(-1)
            first = np.where(none | ~can.any(-1), 0, first)
            last = np.where(none | ~can.any(-1), 0, last)
            maybe = (nan & ~only).any(-1) & (nan | only).all(-1)
            return Val("i32", dims, np.where(maybe, 0, first).astype(float), last.astype(float))
        nan, only = a.nan.any(axes), a.only.any(axes)
        if op in ("median", "quantile"):  # never falls where an element rises
            f = to_float(a, kind)
            lo, hi = (quantile(np.where(f.nan, end, x), q, axes) for x, end in ((f.lo, -np.inf), (f.hi, np.inf)))
            size = np.maximum(np.abs(np.where(np.isfinite(f.lo), f.lo, 0)), np.abs(np.where(np.isfinite(f.hi), f.hi, 0))).max(axes)
            return rounded(kind, dims, lo, hi, nan | np.isnan(lo) | np.isnan(hi), only, ulps=2, slack=4 * size * unit_roundoff(kind))
        if op == "norm":
            f = to_float(a, kind)
            m = magnitude(f)
            squares = rounded(kind, a.dims, m.lo**2, m.hi**2)
            lo, hi = np.sum(m.lo**2, axes), np.sum(m.hi**2, axes)
            size = np.sum(squares.hi, axes)
            slack, much = narrow(kind, True, squares.lo, size, axes)
            slack = slack + np.where(np.isinf(size), 0, size * 2.0**-53 * count)  # one after the other, at worst
            wild = squared(m.hi, kind).any(axes) | much
            lo, hi = np.sqrt(np.maximum(lo - slack, 0)), np.sqrt(hi + slack)
            return rounded(kind, dims, np.maximum(lo - 2e-19 * np.sqrt(count), 0), np.where(wild, np.inf, hi), nan | wild & np.isinf(hi), only, ulps=6, slack=2e-19)
        lo, hi, size, mixed = total(a, axes, np.add.reduce)
        if a.kind in ("bool", "i32", "i64"):
            coarse = np.where(size > 2.0**53, size * 2.0**-52 * count, 0)  # the sums here are of floats
            t = whole("i64", dims, lo - coarse, hi + coarse)
            if op == "sum":
                return t
            f = to_float(t, "f64")
            return rounded(kind, dims, f.lo / count, f.hi / count, ulps=4)
        coarse, wild = narrow(a.kind, a.rounds, a.lo, size, axes)
        slack = np.where(np.isinf(size), 0, size * 2.0**-53 * count + np.where(wild, 0, coarse))
        if op == "mean":
            lo, hi, slack = lo / count, hi / count, slack / count
        mixed = mixed | wild
        return rounded(kind, dims, np.where(mixed, np.nan, lo), np.where(mixed, np.nan, hi), nan | mixed, only, ulps=4, slack=slack)


def take(kind, a, places, dim, here, by, outside, dims):
    """elements at whole places along a dimension; a place that is not known may be any, and one that is NaN none"""
    axis = a.dims.index(dim)
    n = a.lo.shape[axis]
    if places is None:
        places = Val("i64", [], float(by), float(by))
        dims = a.dims if here else [d for d in a.dims if d != dim]
    extent = dict(zip(places.dims, places.lo.shape)) | {d: m for d, m in zip(a.dims, a.lo.shape) if here or d != dim}

    def over(v, names):
        order = sorted(range(len(names)), key=lambda i: dims.index(names[i]))
        return np.transpose(v, order)[tuple(slice(None) if d in names else None for d in dims)]

    lo, hi, nan, only = (over(x, places.dims) for x in (places.lo, places.hi, places.nan, places.only))
    if here:
        own = over(np.arange(n, dtype=float), [dim])
        lo, hi = lo + own, hi + own
        exact = np.maximum(np.abs(lo), np.abs(hi)) <= 1 / unit_roundoff(places.kind)
        moved = rounded(places.kind, dims, lo, hi)  # as a float, where the sum is one
        lo, hi = np.where(exact, lo, moved.lo), np.where(exact, hi, moved.hi)
    if (outside == "wrap" or outside == "mirror" and n > 1) and places.kind.startswith("f"):  # one that is too far is none; a mirrored element is all there is
        nan, only = nan | (np.maximum(np.abs(lo), np.abs(hi)) > 2.0**53), only | (lo > 2.0**54) | (hi < -(2.0**54))
    sure = (lo == hi) & (np.abs(lo) < 2.0**50) & ~nan
    p = np.where(sure, lo, 0).astype(np.int64)
    beyond = (p < 0) | (p >= n)
    if outside == "wrap":
        p = p % n
    elif outside == "mirror" and n > 1:
        p = np.minimum(p % (2 * n - 2), 2 * n - 2 - p % (2 * n - 2))
    p = np.clip(p, 0, n - 1)
    at = tuple(p if d == dim else over(np.arange(extent[d]), [d]) for d in a.dims)
    shape = tuple(extent[d] for d in dims)
    filled = not isinstance(outside, str)
    c = constant(kind, outside) if filled else None

    def pick(name, any_of, value):
        x = getattr(a, name)
        all_of = any_of.reduce(x, axis)
        rest = [d for d in a.dims if d != dim]
        every = over(all_of, rest) if rest else np.asarray(all_of)
        out = x[at]
        if filled:
            every, out = any_of(every, value), np.where(beyond, value, out)
        return np.broadcast_to(np.where(sure, out, every), shape)

    v = Val(kind, dims, pick("lo", np.minimum, c.lo if filled else 0), pick("hi", np.maximum, c.hi if filled else 0),
            pick("nan", np.logical_or, False), pick("only", np.logical_and, False))
    if filled:
        return v
    return Val(kind, dims, v.lo, v.hi, v.nan | nan, v.only | np.broadcast_to(only, shape))


def carry(kind, a, dim, last):
    """s = 0.5 s + a along a dimension, from its first element"""
    axis, rest = a.dims.index(dim), [d for d in a.dims if d != dim]
    a = a.ordered([*rest, dim])
    most = F32MAX if kind == "f32" else 1e308

    def decayed(x):
        """x, and half of what was before: in each turn of the loop over twice as many elements"""
        by = 1
        while by < min(x.shape[-1], 1024):
            x = np.concatenate([x[..., :by], x[..., by:] + 0.5**by * x[..., :-by]], -1)
            by *= 2
        return x

    def finite(x):
        return np.where(np.isinf(x), 0, x) * np.where(np.arange(x.shape[-1]) == 0, 1.5, 1)

    ever = np.logical_or.accumulate
    with np.errstate(all="ignore"):
        lo, hi = decayed(finite(a.lo)), decayed(finite(a.hi))
        size = decayed(np.maximum(np.abs(finite(a.lo)), np.abs(finite(a.hi))))
        wild = ever(~(size < most / 4), -1)
        global overflows
        overflows = overflows or kind == "f32" and bool(wild.any())
        slack = np.where(wild, 0, decayed(size) * 4 * unit_roundoff(kind))
        up, down = ever(a.hi == np.inf, -1), ever(a.lo == -np.inf, -1)
        lo = np.where(wild | down, -np.inf, np.where(ever(a.lo == np.inf, -1), np.inf, lo))
        hi = np.where(wild | up, np.inf, np.where(ever(a.hi == -np.inf, -1), -np.inf, hi))
    nan = ever(a.nan, -1) | wild | up & down
    v = rounded(kind, [*rest, dim], lo, hi, nan, ever(a.only, -1), slack=slack)
    return v.map(lambda x: x[..., -1], rest) if last else v.ordered([*rest[:axis], dim, *rest[axis:]])


def level(kind, a, span, over):
    a = to_float(a, kind)
    m = magnitude(a)
    axes = tuple(a.dims.index(d) for d in over)
    with np.errstate(all="ignore"):
        low, high = np.where(a.nan, 0.0, m.lo), np.where(a.only, 0.0, m.hi)
        reflo, refhi = np.max(low, axes, keepdims=True), np.max(high, axes, keepdims=True)
        lo = 20 * np.log10(m.lo / refhi)
        hi = 20 * np.log10(m.hi / reflo)
        wild = (reflo <= 1e-30) | np.isinf(refhi) | np.isinf(m.hi) | np.isnan(lo) | np.isnan(hi)
        nothing = (refhi == 0)
        lo, hi = np.where(wild, -span, np.clip(lo, -span, 0)), np.where(wild, 0.0, np.clip(hi, -span, 0))
        lo, hi = np.where(nothing, -span, lo), np.where(nothing, -span, hi)
        nan = a.nan & ~nothing | np.isinf(m.hi)
        only = a.only & (reflo > 0) & ~np.isinf(refhi)
        nan = nan | a.nan & (reflo <= 0)
    return rounded(kind, a.dims, lo, hi, nan, only, ulps=8, slack=2e-4 if kind == "f32" else 1e-10)


def read(path, kind, dims):
    a = np.load(path)
    if a.dtype.kind == "f":
        v = a.astype(np.float64)
        nan = np.isnan(v)
        v = np.where(nan, 0.0, v)
        return Val(kind, dims, v, v, nan, nan)
    v = a.astype(np.float64)
    return Val(kind, dims, v, v)


def constant(kind, v):
    if kind in ("f32", "f64"):
        x = float(np.float32(v)) if kind == "f32" else float(v)
        return Val(kind, [], min(x, float(v)), max(x, float(v)))
    return Val(kind, [], float(v), float(v))


def step(o, vals, folder):
    op, kind = o["op"], o["kind"]
    x = [vals[i] if isinstance(i, str) else constant(o["compute"], i) for i in o.get("in", [])]
    if op == "read":
        return read(folder + "/" + o["file"], kind, o["dims"])
    if op == "axis":
        n = o["n"]
        v = o["from"] + (o["to"] - o["from"]) * np.arange(n) / max(n - 1, 1)
        return rounded(kind, o["dims"], v, v, ulps=2, slack=1e-7 * max(abs(o["from"]), abs(o["to"])))
    if op == "indices":
        n = x[0].lo.shape[x[0].dims.index(o["dim"])]
        return Val("i32", [o["dim"]], np.arange(n, dtype=float), np.arange(n, dtype=float))
    if op == "fill":
        c = constant(kind, o["value"])
        return Val(kind, o["dims"], np.full(o["extents"], c.lo), np.full(o["extents"], c.hi))
    if op in ("add", "sub", "mul", "div"):
        return arithmetic(op, kind, *x)
    if op == "neg":
        r = Val(kind, x[0].dims, -x[0].hi, -x[0].lo, x[0].nan, x[0].only)
        return whole(kind, r.dims, r.lo, r.hi) if kind in ("i32", "i64") else r
    if op == "scale":  # by a quantity, perhaps over another
        v = to_float(x[0], kind)
        with np.errstate(over="ignore"):
            return rounded(kind, v.dims, v.lo * o["by"], v.hi * o["by"], v.nan, v.only, ulps=6)
    if op in ("less", "less_equal", "equal", "not_equal"):
        return compare(op, *x, o["compute"])
    if op in ("min", "max") and len(x) == 2:
        return extremes(op, kind, *x)
    if op == "clamp":
        return extremes("min", kind, extremes("max", kind, x[0], x[1]), x[2])
    if op == "where":
        return where(kind, *x)
    if op == "and" or op == "or":
        dims, (a, b) = aligned(x)
        f = np.minimum if op == "and" else np.maximum
        return Val("bool", dims, f(a.lo, b.lo), f(a.hi, b.hi))
    if op == "not":
        return Val("bool", x[0].dims, 1 - x[0].hi, 1 - x[0].lo)
    if op == "is_nan":
        return Val("bool", x[0].dims, np.where(x[0].only, 1.0, 0.0), np.where(x[0].nan, 1.0, 0.0))
    if op == "power":
        return power(kind, x[0], o["n"])
    if op == "sqrt":
        return root(kind, x[0])
    if op == "abs":
        return magnitude(x[0])
    if op in ("sin", "cos"):
        return turning(np.sin if op == "sin" else np.cos, kind, x[0])
    if op == "tan":
        return tangent(kind, x[0])
    if op in ("log", "log10"):
        return logarithm(np.log if op == "log" else np.log10, kind, x[0])
    if op == "exp":
        return exponential(kind, x[0])
    if op == "tanh":
        a = to_float(x[0], kind)
        return rounded(kind, a.dims, np.tanh(a.lo), np.tanh(a.hi), a.nan, a.only, ulps=8)
    if op == "atan2":
        return angle(kind, *x)
    if op == "hypotenuse":
        return hypotenuse(kind, *x)
    if op in ("floor", "ceil", "round"):
        if kind in ("i32", "i64"):
            return Val(kind, x[0].dims, x[0].lo, x[0].hi)
        f = {"floor": np.floor, "ceil": np.ceil, "round": np.rint}[op]
        return Val(kind, x[0].dims, f(x[0].lo), f(x[0].hi), x[0].nan, x[0].only)
    if op == "cast":
        return cast(kind, x[0])
    if op in ("sum", "mean", "norm", "any", "all", "argmin", "argmax", "median", "quantile") or op in ("min", "max"):
        return reduce(op, kind, x[0], o["over"], o.get("q", 0.5))
    if op == "dot":
        return dot(kind, o["compute"], *x, o["over"])
    if op == "cumsum":
        return cumsum(kind, x[0], o["dim"])
    if op == "sort":
        axis = x[0].dims.index(o["dim"])
        known = (x[0].nan == x[0].only).all(axis, keepdims=True)  # which are NaN: those come last
        lo, hi = (np.sort(np.where(x[0].only, np.nan, v), axis) for v in (x[0].lo, x[0].hi))
        none = np.isnan(lo)
        lo, hi = np.where(known, np.where(none, 0, lo), -np.inf), np.where(known, np.where(none, 0, hi), np.inf)
        return Val(kind, x[0].dims, lo, hi, none | ~known, none & known)
    if op == "histogram":
        return histogram(kind, x[0], x[1] if len(x) > 1 else None, o["over"], o["from"], o["to"], o["n"], o.get("edges"))
    if op == "take":
        return take(kind, x[0], x[1] if len(x) > 1 else None, o["dim"], o["here"], o["by"], o["outside"], o.get("dims"))
    if op == "carry":
        return carry(kind, x[0], o["dim"], o["fold"])
    if op == "decibel":
        return level(kind, x[0], o["range"], o["over"])
    if op == "slice":
        at = tuple(slice(*o["at"][d]) if d in o["at"] and isinstance(o["at"][d], list) else o["at"].get(d, slice(None)) for d in x[0].dims)
        return x[0].map(lambda a: a[at], [d for d in x[0].dims if isinstance(o["at"].get(d, []), list)])
    if op == "reverse":
        return x[0].map(lambda a: np.flip(a, x[0].dims.index(o["dim"])))
    if op == "transpose":
        return x[0]  # see check
    if op == "rename":
        return x[0].map(lambda a: a, [o["to"] if d == o["from"] else d for d in x[0].dims])
    if op == "reshape":
        return x[0].map(lambda a: np.reshape(a, o["extents"]), o["dims"])
    if op == "concat" or op == "stack":
        x = [to_float(v, kind) if kind in ("f32", "f64") else v for v in x]
        if op == "concat":
            order = x[0].dims
            x = [v.ordered(order) for v in x]
            axis, dims = order.index(o["dim"]), order
            parts = [[getattr(v, n) for v in x] for n in ("lo", "hi", "nan", "only")]
            return Val(kind, dims, *[np.concatenate(p, axis) for p in parts])
        dims, x = aligned(x)
        parts = [np.broadcast_arrays(*[getattr(v, n) for v in x]) for n in ("lo", "hi", "nan", "only")]
        return Val(kind, [o["dim"], *dims], *[np.stack(p) for p in parts])
    raise ValueError(op)


# what gives elements as they were
MOVES = {"read", "fill", "where", "take", "slice", "reverse", "transpose", "rename", "reshape", "concat", "stack", "sort", "min", "max", "clamp"}

KINDS = {"bool": "bool", "i32": "int32", "i64": "int64", "f32": "float32", "f64": "float64"}


def check(program, folder, stats):
    global overflows
    overflows = False
    vals = {}
    for o in program["steps"]:
        v = step(o, vals, folder)
        v.rounds = o["op"] not in MOVES or any(vals[i].rounds and vals[i].kind != "bool" for i in o.get("in", []) if isinstance(i, str))
        vals[o["out"]] = v.ordered(o["order"]) if "order" in o else v
    wrong = []
    for name, file in program["outputs"].items():
        v, path = vals[name], folder + "/" + file
        if not os.path.exists(path):  # it did not pass its check
            path = path.replace(".npy", ".failed.npy")
        got = np.load(path)
        shape = np.broadcast_shapes(v.lo.shape)
        if got.dtype.name != KINDS[v.kind] or got.shape != shape:
            wrong.append(f"{name} is {got.dtype.name} {got.shape}, expected {v.kind} {shape}")
            continue
        g = got.astype(np.float64)
        isnan = np.isnan(g)
        with np.errstate(invalid="ignore"):
            ok = np.where(isnan, v.nan, ~v.only & (g >= v.lo) & (g <= v.hi))
            peak = np.max(np.abs(np.where(np.isfinite(g), g, 0)), initial=0)
            loose = ~isnan & ~(v.hi - v.lo <= 1e-3 * np.maximum(peak, 1e-30))
        stats["elements"] += g.size
        stats["loose"] += int(loose.sum())
        if not ok.all():
            at = np.argwhere(~ok)[0]
            i = tuple(at)
            wrong.append(f"{name}{list(map(int, at))} is {g[i]!r}, not in [{v.lo[i]!r}, {v.hi[i]!r}] (NaN possible: {bool(v.nan[i])}, certain: {bool(v.only[i])}); "
                         f"{int((~ok).sum())} of {g.size} elements")
    return wrong


for line in sys.stdin:
    batch = json.loads(line)
    stats = {"elements": 0, "loose": 0}
    answer, left = [], []
    for program in batch["programs"]:
        try:
            answer.append(check(program, batch["folder"], stats))
            left.append(overflows)
        except Exception as e:  # a mistake of this script is a mismatch too
            answer.append([f"{type(e).__name__}: {e} at line {e.__traceback__.tb_next.tb_lineno if e.__traceback__.tb_next else 0}"])
            left.append(False)
    print(json.dumps({"wrong": answer, "overflows": left, **stats}), flush=True)
