"""Spectra for tools/fits/scan.weft from the templates of the golden values: spectra.py GOLDEN FILE [S/N]."""
import sys
import numpy as np
from scipy.interpolate import CubicSpline

golden, file = sys.argv[1:3]
sn = float(sys.argv[3]) if len(sys.argv) > 3 else 20
knots = np.fromfile(f"{golden}/templ_lam.bin")
lib = np.fromfile(f"{golden}/templ_flux.bin").reshape(-1, knots.size)
rng = np.random.default_rng(1)
count, n = 64, 4000
w = np.exp(np.linspace(np.log(3800), np.log(9200), n))
x = np.linspace(-1, 1, n)
tid, v = np.arange(count) % len(lib), rng.uniform(-300, 300, count)
flux, sigma = np.empty((count, n)), np.empty((count, n))
for s in range(count):
    b = v[s] / 299792.458
    level = np.exp(0.3 * rng.normal() * x + 0.3 * rng.normal() * x * x + 0.1 * np.sin(3 * x + 6 * rng.uniform()))
    y = 10 * level * CubicSpline(knots, lib[tid[s]], bc_type="natural")(w * np.sqrt((1 - b) / (1 + b)))
    sigma[s] = y.mean() / sn * (1 + 0.3 * abs(x))
    flux[s] = y + sigma[s] * rng.normal(size=n)
np.savez(file, flux=flux.astype("f4"), ivar=(1 / sigma**2).astype("f4"), w=w, tid=tid.astype("i4"), v=v, lib=np.log(lib), knots=knots)
