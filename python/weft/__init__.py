"""Run weft pipelines from Python: arrays in, arrays out.

    import numpy as np, weft

    out = weft.run("mean(image, over: [x, y])", image=weft.array(picture, dims=["x", "y"]))
    out["_"]                       # the value of the last line

    out = weft.run("volume.weft", fc="3 MHz")     # a file, with another value of a param
    out["volume"].dims, out["volume"].unit

A `Session` keeps names and what was computed. In a notebook, `%load_ext weft` adds the cell magic `%%weft`.
"""

from ._array import Array, array
from ._client import Interrupted, Mistake, WeftError
from ._session import Result, Session, explain, run

__all__ = ["Array", "Interrupted", "Mistake", "Result", "Session", "WeftError", "array", "explain", "run"]


def load_ipython_extension(shell):
    """Add the cell magic %%weft to IPython."""
    from ._magic import register

    register(shell)
