"""Products by NumPy, one a line of standard input: "TYPE N FORM". The first call of each makes a.npy, b.npy and bias.npy in this folder.
Answers with the seconds of the wall and of the processor. "error TYPE N FORM" compares out.npy and NumPy's product with one of higher
precision, what follows the product in the form applied to all three: root mean squares of both errors, over that of the result."""
import sys
import time

import numpy as np

made = None


def arrays(kind, n, form):
    r = np.random.default_rng(1)
    batch = (1000,) if form == "batched" else ()
    a, b = (r.standard_normal((*batch, n, n)).astype({"f32": "f4", "f64": "f8"}[kind]) for _ in "ab")
    return a, b, np.empty_like(a), r.standard_normal(n).astype(a.dtype)


# What a form does with a product, given the bias.
after = {"scale": lambda p, _: p * 0.37, "bias": lambda p, bias: p + bias, "exp": lambda p, _: np.exp(p * 0.001)}


def product(a, b, out, form):
    np.matmul(a.T if form == "AtB" else a, b.T if form == "ABt" else b, out=out)


for line in sys.stdin:
    *what, kind, n, form = line.split()
    if made is None or made[0] != (kind, n, form):
        made = (kind, n, form), arrays(kind, int(n), form)
        for name, x in zip(("a", "b", None, "bias"), made[1]):
            if name:
                np.save(name, x)
        product(*made[1][:3], form)
    a, b, out, bias = made[1]
    if what == ["error"]:
        wide = np.longdouble if kind == "f64" else np.float64
        rows = slice(None) if kind == "f32" or form == "batched" else slice(0, 64)
        x, y = (a.T if form == "AtB" else a)[rows].astype(wide), (b.T if form == "ABt" else b).astype(wide)
        finish = after.get(form, lambda p, _: p)
        true = finish(x @ y, bias)
        rms = [float(np.sqrt(np.mean((z - true) ** 2) / np.mean(true**2))) for z in (np.load("out.npy")[rows], finish(out[rows], bias))]
        print(*rms, flush=True)
        continue
    wall, cpu = time.perf_counter(), time.process_time()
    product(a, b, out, form)
    print(time.perf_counter() - wall, time.process_time() - cpu, flush=True)
