"""Writes ops/files/wkt/epsg.txt.gz: the systems of coordinates of the EPSG Geodetic Parameter Dataset, a line each, by the databases of PROJ and GDAL.

python3 -m pip install pyproj rasterio && python3 tools/epsg/epsg.py ops/files/wkt/epsg.txt.gz

A line is a code, a tab, and well-known text as GDAL writes it (WKT 1). In those of maps, GEOGCS[...] is # with the code of the same text. Systems that have
no such text are left out.
"""

import gzip
import sys

import rasterio
from pyproj.database import query_crs_info
from pyproj.enums import PJType
from rasterio.crs import CRS
from rasterio.errors import CRSError


def texts(kind):
    for info in query_crs_info(auth_name="EPSG", pj_types=[kind], allow_deprecated=True):
        try:
            text = CRS.from_epsg(int(info.code)).to_wkt(version="WKT1_GDAL")
        except CRSError:
            continue
        if text:
            yield int(info.code), text


def closing(text, start):
    """The place behind the bracket that closes the one after start. Names may have brackets."""
    deep, quoted = 0, False
    for i in range(start, len(text)):
        c = text[i]
        if c == '"':
            quoted = not quoted
        elif not quoted and c == "[":
            deep += 1
        elif not quoted and c == "]":
            deep -= 1
            if deep == 0:
                return i + 1
    raise ValueError(text)


def main():
    unordered = lambda text: text.replace('AXIS["Latitude",NORTH],AXIS["Longitude",EAST],', "")  # as within systems of maps
    lines = {code: unordered(text) for code, text in texts(PJType.GEOGRAPHIC_2D_CRS)}
    codes = {text: code for code, text in lines.items()}
    for code, text in list(texts(PJType.PROJECTED_CRS)):
        start = text.index("GEOGCS[")
        end = closing(text, start)
        if text[start:end] in codes:
            text = f"{text[:start]}#{codes[text[start:end]]}{text[end:]}"
        lines[code] = text
    body = "".join(f"{code}\t{text}\n" for code, text in sorted(lines.items()))
    with open(sys.argv[1], "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as out:
        out.write(body.encode())
    print(len(lines), "systems,", len(body), "characters, GDAL", rasterio.__gdal_version__)


with rasterio.Env(OSR_USE_NON_DEPRECATED="NO"):
    main()
