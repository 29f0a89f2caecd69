"""What full fits of stars reach, beside SciPy's optimiser over a likelihood written a second time, in NumPy, with its slopes.

    weft run tools/fits/stars.weft -p stars=1000
    weft run tools/fits/fits.weft
    python3 tools/fits/reference.py stars.npz fits.npz [STARS] [known.csv]

stars.npz holds the spectra and the library, fits.npz the grid and what fit.full found. Each star is fitted again from where it was found, from what was put in, and from
what was put in with the temperature of the other side of where lines of hydrogen are strongest; the lowest of these is the reference. What was lowest of the last
two is kept in known.csv, so that a run goes on where another was cut off, and other fits of the same stars are compared at once. Printed are how many fits end at most 0.02 above
the reference, all others, and the widths of the pulls.
"""
import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np
from scipy.linalg.lapack import dgttrf, dgttrs
from scipy.optimize import minimize

C = 299792.458
TURN = np.log10(9500)


def basis(x, n):
    u = 2 * (x - x[0]) / (x[-1] - x[0]) - 1
    bells = n - 3
    at = np.linspace(-1, 1, bells) if bells > 1 else [-1.0]
    return np.vstack([u**0, u, u**2] + [np.exp(-(((u - c) * max(bells, 1)) ** 2) / 2) for c in at])


def parabola(x, t, first, count):
    """Weights of the polynomial through so many nodes from first on, and how they change with x."""
    w, s = np.zeros(len(t)), np.zeros(len(t))
    nodes = range(first, first + count)
    for c in nodes:
        others = [m for m in nodes if m != c]
        w[c] = np.prod([(x - t[m]) / (t[c] - t[m]) for m in others])
        s[c] = sum(np.prod([(x - t[m]) / (t[c] - t[m]) for m in others if m != k]) / (t[c] - t[k]) for k in others)
    return w, s


def near(x, t):
    """The first of the nodes that a curve at x is made of, their weights, and how these change with x."""
    n = len(t)
    if n == 1:
        return 0, np.ones(1), np.zeros(1)
    i = min(max(np.searchsorted(t, x, side="right") - 1, 0), n - 2)
    parts = min(n, 3)
    h = t[i + 1] - t[i]
    u = (x - t[i]) / h
    (a, da), (b, db) = (parabola(x, t, min(max(k, 0), n - parts), parts) for k in ((i - 1 if parts > 2 else i), i))
    count = min(n, 4 if parts > 2 else 2)
    first = min(max(i - (1 if parts > 2 else 0), 0), n - count)
    these = slice(first, first + count)
    return first, ((1 - u) * a + u * b)[these], ((1 - u) * da + u * db + (b - a) / h)[these]


def rotation(r, reach, epsilon=0.6):
    k = np.arange(-reach, reach + 1.0)
    if r < 1e-9:
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


class Library:
    """Templates at any parameters, and splines through them."""

    def __init__(self, d):
        self.nodes = [np.log10(d["teff"].astype(float))] + [d[k].astype(float) for k in ("logg", "feh", "alpha")]
        self.flux = d["lib"].astype(float).reshape(*[len(n) for n in self.nodes], -1)
        self.flux -= self.flux.mean()
        self.level = d["lib"].astype(float).mean()
        self.knots = x = d["knots"].astype(float)
        self.reach = int(d["settings"][2])
        self.step = np.log(x[-1] / x[0]) / (len(x) - 1)
        self.h = h = np.diff(x)[:, None]
        inner = np.concatenate([[0], h[1:, 0]]), np.concatenate([[1], 2 * (h[:-1, 0] + h[1:, 0]), [1]]), np.concatenate([h[:-1, 0], [0]])
        low, middle, high = inner[2], inner[1], inner[0]
        self.factors = dgttrf(low, middle, high)[:5]
        self.place, self.block = None, None

    def mixed(self, p):
        """Logarithms of fluxes at log10 of teff, logg, feh, alpha, and how they change with each."""
        at = [near(x, t) for x, t in zip(p, self.nodes)]
        place = tuple((first, len(w)) for first, w, _ in at)
        if place != self.place:
            self.place, self.block = place, self.flux[tuple(slice(a, a + n) for a, n in place)].reshape(-1, self.flux.shape[-1]).copy()
        rows = []
        for k in range(-1, 4):
            t, g, f, a = (s if i == k else w for i, (_, w, s) in enumerate(at))
            rows.append(np.multiply.outer(np.multiply.outer(t, g), np.multiply.outer(f, a)).ravel())
        return np.array(rows) @ self.block

    def seen(self, p, w):
        """The template over wavelengths w, and how it changes with each of the six parameters."""
        ln = self.mixed(p[1:5])
        ln[0] = np.exp(ln[0])
        ln[1:] *= ln[0]
        r = p[5] / C / self.step
        d = 1e-4 * r + 1e-6
        lower = max(r - d, 0)
        k = rotation(r, self.reach)
        change = (rotation(r + d, self.reach) - rotation(lower, self.reach)) / ((r + d - lower) * C * self.step)
        wide = np.array([np.convolve(v, k, mode="same") for v in ln] + [np.convolve(ln[0], change, mode="same")]).T
        rise = np.diff(wide, axis=0) / self.h
        right = np.zeros_like(wide)
        right[1:-1] = 6 * np.diff(rise, axis=0)
        z = dgttrs(*self.factors, right)[0]
        b = p[0] / C
        factor = np.sqrt((1 - b) / (1 + b))
        x = w * factor
        i = np.clip(np.floor(np.log(x / self.knots[0]) / self.step).astype(int), 0, len(self.knots) - 2)
        h = self.h[i]
        l, u = x[:, None] - self.knots[i][:, None], self.knots[i + 1][:, None] - x[:, None]
        y = (z[i + 1] * l**3 + z[i] * u**3) / (6 * h) + (wide[i + 1] / h - h * z[i + 1] / 6) * l + (wide[i] / h - h * z[i] / 6) * u
        slope = (z[i + 1, 0] * l[:, 0] ** 2 - z[i, 0] * u[:, 0] ** 2) / (2 * h[:, 0]) + rise[i, 0] - h[:, 0] * (z[i + 1, 0] - z[i, 0]) / 6
        moved = -slope * x / (C * (1 - b * b))
        return y[:, 0], np.column_stack([moved, y[:, 1:]])


class Star:
    def __init__(self, d, lib, i):
        self.lib, self.low, self.high = lib, d["low"].astype(float), d["high"].astype(float)
        weight = np.sqrt(d["ivar"][i].astype(float))
        known = weight > 0
        self.weight, self.seen, self.w = weight[known], (d["flux"][i].astype(float) * weight)[known], d["w"][known].astype(float)
        self.terms, self.freedom = d["terms"][:, known], float(d["freedom"])
        self.constant = -2 * np.log(self.weight).sum() + 2 * len(self.terms) * lib.level

    def square(self, p):
        """-2 log of the likelihood at velocity, log10 of teff, logg, feh, alpha, vsini, its slopes, and its bend but for that of the model itself."""
        t, change = self.lib.seen(p, self.w)
        s = self.terms * (t * self.weight)
        m = s @ s.T
        inverse = np.linalg.inv(m)
        a = inverse @ (s @ self.seen)
        left, f = self.seen - a @ s, self.freedom
        trust = 1
        if f > 0:
            for _ in range(200):
                v = (f + 1) / (f + left**2)
                new = np.linalg.solve((s * v) @ s.T, (s * v) @ self.seen)
                done = np.abs((new - a) @ s).max() < 1e-7
                a, left = new, self.seen - new @ s
                if done:
                    break
            share, trust = (f + 1) * np.log1p(left**2 / f), (f + 1) / (f + left**2)
        else:
            share = left**2
        models = change * ((a @ self.terms) * self.weight)[:, None]
        pull = 2 * self.weight * (self.terms * (inverse @ s)).sum(0)
        slope = -2 * models.T @ (trust * left) + change.T @ pull
        cross = s @ models
        return share.sum() + np.linalg.slogdet(m)[1] + self.constant, slope, 2 * (models.T @ models - cross.T @ inverse @ cross)

    def lowest(self, start):
        """The least -2 log of the likelihood that is found from there, and where: once more from where it ends, by errors as they are there."""
        p = np.clip(start, self.low, self.high)
        free = np.flatnonzero(self.high > self.low)
        for _ in range(2):
            bend = self.square(p)[2].diagonal()[free]
            scale = 1 / np.sqrt(np.maximum(bend, 1e-4 * bend.max()) if bend.max() > 0 else np.ones(len(free)))
            scale = np.minimum(scale, (self.high - self.low)[free])
            from_, q = p[free], p.copy()

            def f(z):
                q[free] = np.clip(from_ + z * scale, self.low[free], self.high[free])
                value, slope, _ = self.square(q)
                return value, slope[free] * scale

            bounds = [((a - c) / s, (b - c) / s) for a, b, c, s in zip(self.low[free], self.high[free], from_, scale)]
            r = minimize(f, np.zeros(len(free)), method="L-BFGS-B", jac=True, bounds=bounds, options=dict(ftol=1e-13, gtol=1e-4, maxiter=400, maxcor=20))
            p[free] = np.clip(from_ + r.x * scale, self.low[free], self.high[free])
        return r.fun, p


def known_of(name):
    """What other runs found, by star."""
    if not name or not os.path.exists(name):
        return {}
    return {int(r[0]): (r[1], r[2:]) for r in np.loadtxt(name, delimiter=",", ndmin=2)}


def widths(d):
    """Of the pulls, over stars but those that are more than 3 errors away on the other side of where the lines of hydrogen are strongest, which are listed with their bits:
    all, those within the grid, and those of which a parameter ends where it does, listed too: it has no error itself."""
    names = ["velocity", "teff", "logg", "feh", "alpha", "vsini"]
    off, bits, error = d["found"] - d["truth"], d["warnings"], d["error"]
    crossed = ((d["found"][:, 1] < TURN) != (d["truth"][:, 1] < TURN)) & (abs(off[:, 1]) > 3 * error[:, 1])
    ends = (bits & 8) != 0
    for title, these in (("all at the right side", ~crossed), ("within the grid", ~crossed & ~ends), ("at its ends", ~crossed & ends)):
        pulls = [p[np.isfinite(p)] for p in (off[these] / error[these]).T]
        print(f"{title}, {these.sum()} of {len(off)}: " + ", ".join(f"{n} {p.std():.2f} ({p.mean():+.2f}, {len(p)})" for n, p in zip(names, pulls)))
    print(f"on the other side, {crossed.sum()}, {(crossed & (bits & 512 == 0)).sum()} of them without bit 512:", *(f"{i}:{bits[i]}" for i in np.flatnonzero(crossed)))
    for k, name in enumerate(names):
        at = np.flatnonzero(ends & ~(d["found"][:, k] > d["low"][k]) | ends & ~(d["found"][:, k] < d["high"][k]))
        print(f"{name} at an end of the grid, {len(at)}, {(bits[at] & 8 == 0).sum()} of them without bit 8:", *at)


def main():
    d = {k: v for file in sys.argv[1:3] for k, v in np.load(file).items()}
    n, some = len(d["flux"]), int(sys.argv[3]) if len(sys.argv) > 3 else 10**9
    kept = sys.argv[4] if len(sys.argv) > 4 else None
    known = known_of(kept)
    count, d["freedom"], _ = d["settings"]
    d["terms"] = basis(d["w"].astype(float), int(count))
    lib = Library(d)
    off, above = [], []
    for i in range(min(n, some)):
        star = Star(d, lib, i)
        p, true = d["found"][i].astype(float), d["truth"][i].astype(float)
        if not np.isfinite(p).all():
            continue
        if i not in known:
            mirrored = true.copy()
            mirrored[1] = 2 * TURN - true[1]
            known[i] = min((star.lowest(q) for q in (true, mirrored)), key=lambda r: r[0])
            if kept:
                with open(kept, "a") as f:
                    print(i, repr(float(known[i][0])), *(repr(float(x)) for x in known[i][1]), sep=",", file=f)
        mine = star.square(np.clip(p, star.low, star.high))[0]
        best = min(known[i], star.lowest(p), key=lambda r: r[0])
        off.append(d["chisq"][i] - mine)
        above.append(mine - best[0])
        if above[-1] > 0.02:
            print(f"star {i}: {above[-1]:.3f} above; found {np.round(p, 3)}, lower {np.round(best[1], 3)}, true {np.round(true, 3)}, warnings {d['warnings'][i]}, turns {d['turns'][i]}", flush=True)
    above = np.array(above)
    widths(d)
    print(f"{len(above)} fits: {(above <= 0.02).mean():.2%} end within 0.02 of the reference; weft's own -2 log L is off NumPy's by {np.abs(off).max():.2g}")


if __name__ == "__main__":
    main()
