package zarr

import (
	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/format"
)

// Store is the format of Zarr stores.
var Store = &format.Format{
	Name: "Zarr", Endings: []string{".zarr"}, Holds: element.DType.Valid, Takes: []string{"as"}, Choices: []string{"member"},
	Open: open, List: list, Create: create, Folder: isStore, Provenance: provenance, Scratch: scratch,
	Chunk: func(o format.Order) []int { return chunkOf(o.Type.Shape(), o.DType) },
	Reads: "A Zarr store of version 3 gives its array, with the names of its dimensions and the unit in its attribute units; a group gives a record of its arrays, or the only one; `member: \"inner/name\"` is one of a group within. " +
		"An array of a group has the coordinates that others of the names of its dimensions hold beside it, as xarray writes them, and the system that a grid_mapping or the array itself (`_CRS`, `proj:code`) names by a number of EPSG. " +
		"Chunks may be packed by gzip or zstd and have checksums (crc32c), and are then read as a whole; rows of 4 KiB and more of others are read by themselves. What no chunk holds is the fill value: how many are not there is told, and a chunk that a store of weft was not written without (`left_out` says which) is missed. The attributes scale_factor, add_offset, _FillValue, missing_value, valid_range, valid_min, valid_max and _Unsigned are applied " +
		"as in netCDF files: elements are scale v + offset, in floats, and those that are missing or not valid are NaN, for which whole numbers become floats; read `as` whole numbers, these keep the value that is stored.",
	Writes: "A Zarr store of version 3 is a folder with a file for each chunk of an array, of about 4 MiB, with a checksum (crc32c), or packed by gzip, as GDAL before 3.13 has it, where the last two dimensions lie on the map; chunks of zeros take no room, but for floats on the map, of which NaN is missing for GDAL. " +
		"It has the names of dimensions, the unit, and what it was made from. An array with coordinates that have a unit, or lie on the map, goes into a group, with an array of them for each dimension that has some and, on the map, one whose attributes are the grid mapping of CF, as xarray's open_zarr and GDAL read it; " +
		"it has the system also as GDAL has it (`_CRS`), and the place of its pixels (`spatial:transform`). GDAL takes elements for missing that are as what no chunk holds: of whole numbers on the map that is one which no element is, if there is one, of truths false. What else lies in the folder goes when it is written anew.",
}

// scratch is a chunk on its way, and parts that are encoded first, as many rows at a time as chunks have.
func scratch(o format.Order, at region.Region) int64 {
	chunk := chunkOf(o.Type.Shape(), o.DType)
	n := int64(o.DType.Size())
	for _, along := range chunk {
		n *= int64(along)
	}
	if mapped(o.Type.Dims) { // packed, which may take more
		n *= 3
	}
	if o.Elem != o.Type.Elem || o.Type.Unit.SI() != 1 || o.Elem.Complex {
		rows := int64(o.DType.Size())
		for d, along := range at {
			if d == 0 {
				along.Hi = along.Lo + min(along.Len(), chunk[0])
			}
			rows *= int64(along.Len())
		}
		n += 2 * rows // what holds them grows
	}
	return n + 1<<20
}
