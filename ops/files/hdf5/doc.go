// Package hdf5 reads HDF5 files: groups, datasets and attributes, by the HDF5 File Format Specification, version 3.0 (The HDF Group). Read are superblocks
// of versions 0 to 3, object headers of both versions, groups as symbol tables, compact and dense, and datasets that are compact, contiguous or in chunks
// found by B-trees of version 1, by a fixed array, or without an index, packed by deflate, shuffle and Fletcher's checksum.
//
// A file is never believed: each place is compared with the size of the file before anything is read, each number of things with the bytes that hold them,
// and what leads in a circle is an error.
package hdf5
