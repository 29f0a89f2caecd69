// Package tiff reads and writes GeoTIFF rasters of one band or several.
//
// The container is TIFF 6.0 (Adobe, 1992) and BigTIFF, of either byte order; the georeference is OGC 19-008r4,
// "OGC GeoTIFF Standard"; nodata, scale and offset are GDAL's tags 42113 and 42112. Strips and tiles are read one
// block at a time, so that rasters larger than memory stream; decoded blocks are kept for a while, so that
// neighbouring tiles with halos do not decode them twice.
//
// A file is never believed: every count and offset is compared with the size of the file before anything is
// allocated, and the size of a block with what its bytes can hold at all.
//
// Every error about a file is an *Error, which carries the path, the reason and what to do.
package tiff

import "weft/ops/files/fileio"

// Error is a failure to read or write one file.
type Error = fileio.Error
