"""What full fits of stars reach, beside SciPy's optimisers over a likelihood written a second time, in NumPy.

    weft run tools/fits/stars.weft -p stars=1000
    weft run tools/fits/fits.weft
    python3 tools/fits/reference.py stars.npz fits.npz

stars.npz holds the spectra and the library, fits.npz the grid and what fit.full found. Each star is fitted again from where it was found and from what was put in;
the lower of the two is the reference. Printed are how many fits end at most 0.02 above it, all others, and the widths of the pulls.
"""
import sys
import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize

C = 299792.458


def basis(x, n):
    u = 2 * (x - x[0]) / (x[-1] - x[0]) - 1
    bells = n - 3
    at = np.linspace(-1, 1, bells) if bells > 1 else [-1.0]
    return np.vstack([u**0, u, u**2] + [np.exp(-(((u - c) * max(bells, 1)) ** 2) / 2) for c in at])


def parabola(x, t, first, count):
    """Weights of the polynomial through so many nodes from first on."""
    w = np.zeros(len(t))
    for c in range(first, first + count):
        w[c] = np.prod([(x - t[m]) / (t[c] - t[m]) for m in range(first, first + count) if m != c])
    return w


def near(x, t):
    n = len(t)
    if n == 1:
        return np.ones(1)
    i = min(max(np.searchsorted(t, x, side="right") - 1, 0), n - 2)
    parts = min(n, 3)
    u = (x - t[i]) / (t[i + 1] - t[i])
    left, right = (min(max(k, 0), n - parts) for k in ((i - 1 if parts > 2 else i), i))
    return (1 - u) * parabola(x, t, left, parts) + u * parabola(x, t, right, parts)


def rotation(r, reach, epsilon=0.6):
    k = np.arange(-reach, reach + 1.0)
    if r < 1e-6:
        return (k == 0) * 1.0
    area = np.pi * (1 - epsilon / 3)

    def whole(x):
        q = np.sqrt(np.maximum(1 - x * x, 0))
        return ((1 - epsilon) * (x * q + np.arcsin(x)) + np.pi / 2 * epsilon * (x - x**3 / 3)) / area

    def moment(x):
        q = np.sqrt(np.maximum(1 - x * x, 0))
        return (-(1 - epsilon) * 2 / 3 * q**3 + np.pi / 2 * epsilon * (x * x / 2 - x**4 / 4)) / area

    a, b, c = (np.clip((k + d) / r, -1, 1) for d in (-1, 0, 1))
    w = (1 - k) * (whole(b) - whole(a)) + r * (moment(b) - moment(a)) + (1 + k) * (whole(c) - whole(b)) - r * (moment(c) - moment(b))
    return w / w.sum()


class Star:
    def __init__(self, d, i):
        self.d = d
        self.flux, self.weight = d["flux"][i].astype(float), np.sqrt(d["ivar"][i].astype(float))
        self.known = self.weight > 0
        self.w, self.terms = d["w"], d["terms"]
        self.freedom = float(d["freedom"])
        self.constant = -2 * np.log(self.weight[self.known]).sum()

    def square(self, p):
        """-2 log of the likelihood at velocity, log10 of teff, logg, feh, alpha, vsini; without where templates do not reach."""
        d = self.d
        if not np.all((p >= d["low"]) & (p <= d["high"])):
            return 1e30
        ws = [near(x, t) for x, t in zip(p[1:5], (np.log10(d["teff"]), d["logg"], d["feh"], d["alpha"]))]
        parts = [np.flatnonzero(v) for v in ws]
        block = d["lib"][np.ix_(*parts)]
        for v, at in zip(ws, parts):
            block = np.tensordot(v[at], block, (0, 0))
        step = np.log(d["knots"][-1] / d["knots"][0]) / (len(d["knots"]) - 1)
        wide = np.exp(block)
        if p[5] > 0:
            wide = np.convolve(wide, rotation(p[5] / C / step, int(d["reach"])), mode="same")
        b = p[0] / C
        t = CubicSpline(d["knots"], wide, bc_type="natural")(self.w * np.sqrt((1 - b) / (1 + b)))
        s = (self.terms * (t * self.weight))[:, self.known]
        seen = (self.flux * self.weight)[self.known]
        m = s @ s.T
        a = np.linalg.solve(m, s @ seen)
        left = seen - a @ s
        f = self.freedom
        if f > 0:
            for _ in range(200):
                v = (f + 1) / (f + left**2)
                new = np.linalg.solve((s * v) @ s.T, (s * v) @ seen)
                done = np.abs((new - a) @ s).max() < 1e-7
                a, left = new, seen - new @ s
                if done:
                    break
            share = (f + 1) * np.log1p(left**2 / f)
        else:
            share = left**2
        return share.sum() + np.linalg.slogdet(m)[1] + self.constant


SCALE = np.array([5, 0.005, 0.1, 0.1, 0.05, 10])


def lowest(star, start, low, high):
    free = np.flatnonzero(high > low)
    p0 = np.clip(start, low, high)

    def f(z):
        p = p0.copy()
        p[free] = np.clip(z * SCALE[free], low[free], high[free])
        return star.square(p)

    bounds = [(a, b) for a, b in zip(low[free] / SCALE[free], high[free] / SCALE[free])]
    r = minimize(f, p0[free] / SCALE[free], method="L-BFGS-B", jac="3-point", bounds=bounds, options=dict(ftol=1e-12, gtol=1e-4, maxiter=200))
    p0[free] = np.clip(r.x * SCALE[free], low[free], high[free])
    return r.fun, p0


def widths(d):
    """Of the pulls, over stars that no bit says may be on the other side of where the lines of hydrogen are strongest, without and with those at the ends of the grid;
    and those that are on the other side, and far, though no bit says so."""
    off, bits = d["found"] - d["truth"], d["warnings"]
    right = (abs(off[:, 1]) < 0.12) & (bits & (480 | 512) == 0)
    turn = np.log10(9500)
    crossed = ((d["found"][:, 1] < turn) != (d["truth"][:, 1] < turn)) & (abs(off[:, 1]) > 3 * d["error"][:, 1])
    print(f"{crossed.sum()} are more than 3 errors away on the other side of 9500 K, {(crossed & (bits & 512 == 0)).sum()} of them without bit 512: {np.flatnonzero(crossed & (bits & 512 == 0))}")
    print(f"{right.sum()} of {len(off)} on the right side; of the others {((~right) & (bits == 0)).sum()} without a bit: {np.flatnonzero(~right & (bits == 0))}")
    for name, these in (("within the grid", right & (bits & 8 == 0)), ("at its ends", right & (bits & 8 != 0)), ("all", right)):
        pull = off[these] / d["error"][these]
        known = [p[np.isfinite(p)] for p in pull.T]
        print(f"{name}, {these.sum()}: widths {[round(float(p.std()), 2) for p in known]}, means {[round(float(p.mean()), 2) for p in known]}, of {[len(p) for p in known]}")


def main():
    d = {k: v for file in sys.argv[1:3] for k, v in np.load(file).items()}
    n, some = len(d["flux"]), int(sys.argv[3]) if len(sys.argv) > 3 else 10**9
    count, d["freedom"], d["reach"] = d["settings"]
    d["terms"] = basis(d["w"], int(count))
    sizes = [len(d[k]) for k in ("teff", "logg", "feh", "alpha")]
    d["lib"] = d["lib"].astype(float).reshape(*sizes, -1)
    low, high = d["low"].astype(float), d["high"].astype(float)
    off, above = [], []
    for i in range(min(n, some)):
        star = Star(d, i)
        p, true = d["found"][i].astype(float), d["truth"][i].astype(float)
        if not np.isfinite(p).all():
            continue
        mine = star.square(np.clip(p, low, high))
        best = min(lowest(star, p, low, high), lowest(star, true, low, high), key=lambda r: r[0])
        off.append(d["chisq"][i] - mine)
        above.append(mine - best[0])
        if above[-1] > 0.02:
            print(f"star {i}: {above[-1]:.3f} above; found {np.round(p, 3)}, lower {np.round(best[1], 3)}, true {np.round(true, 3)}, warnings {d['warnings'][i]}", flush=True)
    above = np.array(above)
    widths(d)
    print(f"{len(above)} fits: {(above <= 0.02).mean():.2%} end within 0.02 of the reference; weft's own -2 log L is off NumPy's by {np.abs(off).max():.2g}")


if __name__ == "__main__":
    main()
