package csv

import (
	"fmt"
	"os"
	"slices"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/tile"
	"weft/ops/files/words"
	"weft/ops/problem"
)

// latest is the table that was read last.
var latest fileio.Latest[table]

func open(path string) (*table, error) {
	return latest.Open(path, func(f *os.File, _ int64) (*table, error) { return parse(f, path) })
}

// list tells the columns; nothing of a file without names for them.
func list(path string, _ format.Choice) ([]format.Part, error) {
	t, err := open(path)
	if err != nil || !t.named {
		return nil, err
	}
	parts := make([]format.Part, len(t.columns))
	for i, c := range t.columns {
		parts[i] = format.Part{Name: c.name, Dims: []string{"row"}, Not: c.not()}
	}
	return parts, nil
}

func openColumn(path string, choice format.Choice) (format.Input, error) {
	t, err := open(path)
	if err != nil {
		return nil, err
	}
	name := choice["member"]
	if !t.named {
		return matrix(path, name, t)
	}
	var known []string
	for i, c := range t.columns {
		switch {
		case c.name != name:
			known = append(known, c.name)
		case c.not() != "":
			return nil, &fileio.Error{Path: path, Kind: fileio.BadType, Reason: fmt.Sprintf("%s in column %s", c.not(), name)}
		default:
			d, raw := c.raw()
			in := &array{of: t, Memory: inMemory(path, []int{t.rows}, d, raw), names: []string{"row"}, unit: c.unit, doubts: c.doubts}
			if slices.ContainsFunc(t.columns[i+1:], func(o *values) bool { return o.name == name }) {
				in.doubts = append(in.doubts, problem.Wrong(problem.AmbiguousMember, "path", "", "there are several columns %s: the first is read, the others are left out", name))
			}
			return in, nil
		}
	}
	return nil, &fileio.Error{Path: path, Kind: fileio.NoMember, Reason: "holds no column " + name, Known: known}
}

// matrix is all of a file without names for its columns.
func matrix(path, member string, t *table) (format.Input, error) {
	if member != "" {
		return nil, &fileio.Error{Path: path, Kind: fileio.NoMember, Reason: "has no names of columns in its first line", Help: "leave `member` out, and choose a column by its place: a[axis1: 0]"}
	}
	all := make([]float64, t.rows*len(t.columns))
	for k, c := range t.columns {
		if c.kind == texts {
			return nil, &fileio.Error{Path: path, Kind: fileio.BadType, Reason: fmt.Sprintf("%s in column %d", c.not(), k+1)}
		}
		for i, v := range c.reals {
			all[i*len(t.columns)+k] = v
		}
	}
	return &array{of: t, Memory: inMemory(path, []int{t.rows, len(t.columns)}, element.Float64, words.Raw(all))}, nil
}

// array is a column, or all of them.
type array struct {
	tile.Memory
	of     *table // which is not read again as long as one of its columns is in use
	names  []string
	unit   ops.Unit
	doubts []problem.Problem
}

func inMemory(path string, shape []int, d element.DType, raw []byte) tile.Memory {
	return tile.Memory{Path: path, Shape: shape, DType: d, Raw: func() ([]byte, error) { return raw, nil }}
}

// About is what is known of the array.
func (a *array) About() format.About {
	return format.About{DType: a.DType, Shape: a.Shape, Names: a.names, Unit: a.unit, Doubts: a.doubts, Band: a.Shape[0]}
}

// Close ends reading.
func (a *array) Close() error { return nil }
