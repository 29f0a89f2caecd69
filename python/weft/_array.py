"""Arrays with named dimensions, coordinates and units."""

import re
import warnings

import numpy as np


class Array(np.ndarray):
    """A NumPy array that knows its dimensions.

    dims: the names of its dimensions; coords: a dict from some of them to their coordinates; unit: of its numbers;
    coord_units: a dict from dimensions to the units of their coordinates.

    Copies, other types (astype) and transposes keep names. What else is made of it with NumPy has none: they would no longer be true.
    """

    def __array_finalize__(self, obj):
        self.dims, self.coords, self.unit, self.coord_units = (), {}, "", {}

    def __array_wrap__(self, out, context=None, return_scalar=False):
        out = np.asarray(out)
        return out[()] if return_scalar or out.ndim == 0 else out

    def __getitem__(self, key):
        return np.asarray(self)[key]

    def _with(self, values, axes=None):
        """Other values of the same dimensions, or of some order of them."""
        out = np.asarray(values).view(Array)
        out.dims = self.dims if axes is None else tuple(self.dims[i] for i in axes)
        out.coords, out.unit, out.coord_units = dict(self.coords), self.unit, dict(self.coord_units)
        return out

    def copy(self, order="C"):
        return self._with(np.asarray(self).copy(order))

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def astype(self, dtype, *args, **kwargs):
        return self._with(np.asarray(self).astype(dtype, *args, **kwargs))

    def transpose(self, *axes):
        values = np.asarray(self).transpose(*axes)
        if len(axes) == 1 and axes[0] is not None and not np.isscalar(axes[0]):
            axes = axes[0]
        if not axes or axes[0] is None:
            axes = range(self.ndim)[::-1]
        return self._with(values, axes) if len(self.dims) == self.ndim else values

    @property
    def T(self):
        return self.transpose()

    def __reduce__(self):
        return _restored, (np.asarray(self), self.dims, self.coords, self.unit, self.coord_units)

    def _repr_heading(self):
        dims = ", ".join(f"{d}: {n}" for d, n in zip(self.dims, self.shape))
        return f"{self.dtype} [{dims}] {self.unit}".rstrip()

    def __repr__(self):
        return f"weft.Array {self._repr_heading()}\n{np.asarray(self)!r}" if len(self.dims) == self.ndim else repr(np.asarray(self))

    def to_xarray(self):
        """The same as an xarray.DataArray: units are attributes."""
        import xarray

        coords = {}
        for d, c in self.coords.items():
            unit = self.coord_units.get(d)
            coords[d] = (d, c, {"units": unit} if unit else {})
        return xarray.DataArray(np.asarray(self), dims=self.dims, coords=coords, attrs={"units": self.unit} if self.unit else {})


def _restored(values, dims, coords, unit, coord_units):
    """An array that was pickled."""
    out = values.view(Array)
    out.dims, out.coords, out.unit, out.coord_units = dims, coords, unit, coord_units
    return out


def array(values, dims=None, coords=None, unit=None, coord_units=None):
    """An array with the names of its dimensions, to be given to a pipeline.

    values: anything NumPy makes an array of; a weft.Array or xarray.DataArray keeps its names, coordinates and units, where others are not
    said. Masked elements of floats become NaN, spans of time seconds.
    coords: a dict from dimensions to their coordinates: an array, or a pair (array, unit).
    unit: of the numbers, as weft or CF writes it: "m/s", "m s-1"; "" for plain numbers.
    """
    names, places, units = (), {}, {}
    if isinstance(values, Array) and len(values.dims) == values.ndim:
        names, places, units = values.dims, dict(values.coords), dict(values.coord_units)
        unit = values.unit if unit is None else unit
    elif hasattr(values, "data_vars"):
        raise TypeError(f"this is a Dataset: give one of its variables ({', '.join(map(str, values.data_vars))})")
    elif hasattr(values, "dims") and hasattr(values, "coords") and not isinstance(values, Array):
        names = tuple(str(d) for d in values.dims)
        unit = values.attrs.get("units", "") if unit is None else unit
        places, units = _places(values, set(coords or ()))
        values = values.values
    if isinstance(values, np.ma.MaskedArray):
        if values.dtype.kind not in "fc" and np.ma.is_masked(values):
            raise ValueError("elements are masked, and whole numbers have no NaN for them: convert to floats first, or fill them")
        values = values.filled(np.nan) if np.ma.is_masked(values) else values.data
    plain = np.asarray(values)
    if plain.dtype.kind == "m":
        plain, unit = plain / np.timedelta64(1, "s"), "s" if unit is None else unit
    if plain.dtype.kind not in "biufc":
        raise TypeError(f"weft has no elements of type {plain.dtype}")
    if dims is not None:
        if any(not isinstance(d, str) for d in dims):
            raise TypeError(f"names of dimensions are texts, not {list(dims)}")
        renamed = dict(zip(names, dims)) if len(names) == len(dims) else {}
        places = {renamed[d]: c for d, c in places.items() if d in renamed}
        units = {renamed[d]: u for d, u in units.items() if d in renamed}
        names = tuple(dims)
    if len(names) != plain.ndim:
        raise ValueError(f"the array has {plain.ndim} dimensions, of shape {plain.shape}: name them with dims=[...], not {list(names)}")
    units.update(coord_units or {})
    for d, c in (coords or {}).items():
        if d not in names:
            raise ValueError(f"there are coordinates for {d}, which is none of the dimensions {', '.join(names)}")
        if isinstance(c, tuple) and len(c) == 2 and isinstance(c[1], str):
            c, units[d] = c
        places[d] = np.asarray(c, dtype=float)
    for d, c in places.items():
        if c.shape != (plain.shape[names.index(d)],):
            raise ValueError(f"{c.size} coordinates for {d}, which has {plain.shape[names.index(d)]} elements")
        if not np.isfinite(c).all():
            raise ValueError(f"coordinates of {d} are NaN or infinite: leave them out (coords of the other dimensions alone), or choose the elements that have places")
    out = plain.view(Array)
    out.dims, out.unit, out.coords = names, _unit(unit or ""), places
    out.coord_units = {d: _unit(u) for d, u in units.items()}
    return out


def _places(x, others):
    """The coordinates of an xarray.DataArray, and their units, but for those that are said anew."""
    places, units = {}, {}
    for d in x.dims:
        c = x.coords[d] if d in x.coords else None
        if c is None or d in others:
            continue
        if c.dtype.kind == "m":
            places[str(d)], units[str(d)] = c.values / np.timedelta64(1, "s"), "s"
        elif c.dtype.kind in "biuf":
            places[str(d)] = np.asarray(c, dtype=float)
            if c.attrs.get("units"):
                units[str(d)] = c.attrs["units"]
        else:
            warnings.warn(f"coordinates of {d} are {'dates' if c.dtype.kind == 'M' else 'no numbers'}, which are no places in weft: they are left out", stacklevel=4)
    return places, units


# Units as CF conventions write them, where weft writes them otherwise.
_OTHER_NAMES = {
    "degrees": "deg", "degree": "deg", "degrees_north": "deg", "degrees_east": "deg", "degree_north": "deg", "degree_east": "deg",
    "celsius": "degC", "degrees_C": "degC", "degree_Celsius": "degC", "degrees_Celsius": "degC", "°C": "degC", "%": "percent", "counts": "", "count": "",
    "1": "", "Å": "angstrom", "Angstrom": "angstrom", "seconds": "s", "second": "s", "meter": "m", "metre": "m", "meters": "m", "metres": "m",
    "hours": "h", "hour": "h", "minutes": "min", "days": "day", "kelvin": "K", "Kelvin": "K", "pascal": "Pa",
}


def _unit(text):
    """A unit as weft writes it, from one as CF conventions may: m s-1, m s**-1, W.m-2, degrees_north."""
    if text in _OTHER_NAMES:
        return _OTHER_NAMES[text]
    text = text.replace("**", "^")
    text = re.sub(r"(?<=[A-Za-z])\.(?=[A-Za-z])", " ", text)
    text = re.sub(r"([A-Za-zµμ]+)(-?\d+)(?=$|[ */])", r"\1^\2", text)
    return " ".join(_OTHER_NAMES.get(word, word) for word in text.split(" "))
