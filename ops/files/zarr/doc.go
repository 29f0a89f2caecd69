// Package zarr reads and writes Zarr stores of version 3: folders of which each file is a chunk of an array, with a description of the array in
// zarr.json. After the specification at zarr-specs.readthedocs.io/en/latest/v3/core/index.html.
package zarr
