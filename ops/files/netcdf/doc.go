// Package netcdf reads and writes netCDF files after the CF conventions (cfconventions.org): the classic formats (CDF-1, 2 and 5) after their specification in
// the NetCDF Users Guide, and, to read, netCDF-4, which is HDF5 (package hdf5).
package netcdf
