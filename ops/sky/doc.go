// Package sky holds the operators of urban climate that march rays over an elevation raster: sky view factors, shadows of
// buildings and trees, and walls.
//
// Conventions: row 0 is the north edge and column 0 the west edge. Azimuths are clockwise from north (east is 90 deg),
// altitudes above the horizon. Heights are metres above any common zero. Outside the raster nothing stands. A pixel without
// a height (NaN) casts no shadow and its results are NaN.
//
// A ray is a digital line from the middle of a pixel: step k goes k pixels along the dominant axis and the nearest whole
// number of pixels along the other. All trigonometry is done here, in float64, and enters kernels as tables. In kernels a
// pixel of height h is shaded by one of height s at a step where the ray has risen by dz if s - dz > h: a float32 subtraction,
// then a comparison. The order decides ties, so it is part of the definition.
//
// Model: F. Lindberg, C. S. B. Grimmond, Solar energy 2011 (SOLWEIG vegetation scheme) and its successors in UMEP.
package sky
