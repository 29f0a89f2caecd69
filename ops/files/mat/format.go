// Package mat reads files of MATLAB 5 to 7.3: variables, each packed by itself or not, and in them structures, cells and sparse matrices.
package mat

import (
	"fmt"
	"os"
	"sync"

	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/tile"
)

// Variables is the format of MAT files.
var Variables = &format.Format{
	Name: "MAT", Endings: []string{".mat"}, Choices: []string{"member"}, Open: openPart, List: list,
	Reads: "A MAT file of MATLAB (5 to 7.3) gives a record of its variables, structures as records within it. A sparse matrix is a record of `value` and `row`, an element for each of its entries, column by column, " +
		"and `start`, where those of each column begin, with their number behind them. Dimensions of one element are left out, and a cell of one element is what it holds.",
}

// latest is what was found last in a file, without the elements of its arrays.
var latest fileio.Latest[[]part]

func partsOf(path string) (*[]part, error) {
	return latest.Open(path, func(f *os.File, size int64) (*[]part, error) {
		parts, err := find(f, size)
		return &parts, err
	})
}

// list tells the arrays in a file.
func list(path string, _ format.Choice) (out []format.Part, err error) {
	parts, err := partsOf(path)
	if err != nil {
		return nil, err
	}
	for _, p := range *parts {
		one := format.Part{Name: p.name, Not: p.not, Dims: p.dims}
		for k := range p.shape {
			if p.dims == nil {
				one.Dims = append(one.Dims, fmt.Sprintf("axis%d", k))
			}
		}
		out = append(out, one)
	}
	return out, nil
}

// input is an array of a file.
type input struct {
	tile.Memory
	names []string
	of    *[]part // which are not looked for again as long as one of them is in use
}

func openPart(path string, c format.Choice) (format.Input, error) {
	parts, err := partsOf(path)
	if err != nil {
		return nil, err
	}
	name := c["member"]
	var known []string
	for _, p := range *parts {
		switch known = append(known, p.name); {
		case p.name != name:
		case p.not != "":
			return nil, &fileio.Error{Path: path, Kind: fileio.BadType, Reason: p.name + " " + p.not}
		default:
			load := sync.OnceValues(func() ([]byte, error) { return p.load(path) })
			return input{tile.Memory{Path: path, DType: p.class, Shape: p.shape, Raw: load}, p.dims, parts}, nil
		}
	}
	if name == "" {
		return nil, &fileio.Error{Path: path, Kind: fileio.Empty, Reason: "holds no variables"}
	}
	return nil, &fileio.Error{Path: path, Kind: fileio.NoMember, Reason: "holds no array " + name, Known: known}
}

// About is what is known of the array.
func (n input) About() format.About {
	return format.About{DType: n.DType, Shape: n.Shape, Names: n.names, Whole: true, Band: max(1, append(n.Shape, 1)[0])}
}

// Close ends reading.
func (input) Close() error { return nil }
