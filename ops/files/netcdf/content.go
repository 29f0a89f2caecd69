package netcdf

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/hdf5"
	"weft/ops/files/words"
)

// content is what there is in a file.
type content struct {
	vars   []*variable
	attrs  attributes
	byName map[string]*variable
}

// attributes are those of a variable or a file, by their names.
type attributes map[string]value

// value is that of an attribute: a text, or elements as they are in memory.
type value struct {
	text  string
	is    bool // a text
	dtype element.DType
	raw   []byte
}

// numbers are those of an attribute.
func (v value) numbers() []float64 {
	if v.dtype == 0 || v.dtype.Class() == element.Complex || len(v.raw) == 0 {
		return nil
	}
	convert, err := element.Converter(v.dtype, element.Float64)
	if err != nil {
		return nil
	}
	out := make([]float64, len(v.raw)/v.dtype.Size())
	convert(words.Raw(out), v.raw)
	return out
}

// variable is an array of a file.
type variable struct {
	name  string        // of netCDF-4 with those of its groups before it, and slashes between
	dtype element.DType // 0: characters, or none that is read
	shape []int
	dims  []string
	along []*variable // the coordinates of each dim; nil: it has none
	attrs attributes
	text  *string // what it says, if it is a text
	not   string  // why it cannot be read: "holds texts"; empty: it can
	wrong error   // what is wrong with it, if it can be read

	// Of the classic formats.
	begin, bytes int64 // where it lies, and how much of it is together: all, or a record
	records      bool  // it lies in records
	each         int64 // bytes from one to the next

	set *hdf5.Dataset // of netCDF-4
}

// source reads the elements of a variable.
type source interface {
	Read(dst []byte, as element.DType, stride int, t region.Region) error
	Close() error
}

var latest fileio.Latest[content]

func contentOf(path string) (*content, error) {
	return latest.Open(path, func(f *os.File, size int64) (*content, error) { return find(f, size) })
}

// find reads what a file of so many bytes holds, and no numbers of arrays.
func find(r io.ReaderAt, size int64) (*content, error) {
	mark := make([]byte, len(magic))
	if _, err := r.ReadAt(mark, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	open := classic
	if string(mark) == hdf5.Signature[:len(magic)] {
		open = hierarchical
	}
	c, err := open(r, size)
	if err != nil {
		return nil, err
	}
	c.byName = map[string]*variable{}
	for _, v := range slices.Backward(c.vars) { // of several of one name the first
		c.byName[v.name] = v
	}
	c.join()
	return c, nil
}

// join finds the coordinates of each variable of the classic formats: those of the name of a dim.
func (c *content) join() {
	for _, v := range c.vars {
		if v.along != nil || v.set != nil {
			continue
		}
		v.along = make([]*variable, len(v.dims))
		for i, name := range v.dims {
			if at := c.byName[name]; at != nil && at.isAxis() {
				v.along[i] = at
			}
		}
	}
}

// isAxis reports coordinates of a dim: numbers along the dim of its own name.
func (v *variable) isAxis() bool {
	return v.not == "" && v.dtype != 0 && len(v.dims) == 1 && v.dims[0] == path.Base(v.name)
}

// sibling is a variable that an attribute names, of the same group or one around it.
func (c *content) sibling(v *variable, name string) *variable {
	for group := path.Dir(v.name); ; group = path.Dir(group) {
		if found := c.byName[strings.TrimPrefix(path.Join(group, name), "./")]; found != nil {
			return found
		}
		if group == "." || group == "/" {
			return nil
		}
	}
}

// gridMapping is the variable that tells the system of coordinates; nil: none does.
func (c *content) gridMapping(v *variable) *variable {
	name, _, _ := strings.Cut(v.attrs["grid_mapping"].text, ":")
	if name = strings.TrimSpace(name); name == "" || strings.Contains(name, " ") {
		return nil
	}
	return c.sibling(v, name)
}

// arrays are the variables that are read as such: others are coordinates, their bounds, and descriptions of systems of coordinates. Of a file of nothing
// else they are these.
func (c *content) arrays() []*variable {
	beside := map[*variable]bool{}
	for _, v := range c.vars {
		beside[c.gridMapping(v)] = true
		for _, name := range []string{"bounds", "climatology"} {
			if other := v.attrs[name].text; other != "" {
				beside[c.sibling(v, other)] = true
			}
		}
	}
	out := slices.DeleteFunc(slices.Clone(c.vars), func(v *variable) bool { return beside[v] || v.isAxis() })
	if len(out) == 0 {
		return c.vars
	}
	return out
}

// fieldOf is the name of a variable in a record: groups are records within.
func fieldOf(name string) string { return strings.ReplaceAll(name, "/", ".") }

// list tells the arrays of a file; of one nothing, as it is read as an array.
func list(path string, _ format.Choice) (out []format.Part, err error) {
	c, err := contentOf(path)
	if err != nil {
		return nil, err
	}
	all := c.arrays()
	if len(all) == 1 && all[0].text == nil {
		return nil, nil
	}
	for _, v := range all {
		names, _ := v.names()
		out = append(out, format.Part{Name: fieldOf(v.name), Dims: names, Not: v.not, Text: v.text})
	}
	return out, nil
}

// names are those of dims: others than a program could say give way to the ones of arrays without names.
func (v *variable) names() (out []string, odd []string) {
	for i, name := range v.dims {
		if !format.IsDimName(name) || slices.Contains(v.dims[:i], name) {
			if name != "" {
				odd = append(odd, name)
			}
			name = fmt.Sprintf("axis%d", i)
		}
		for slices.Contains(out, name) {
			name += "_"
		}
		out = append(out, name)
	}
	return out, odd
}

// choose is the variable asked for, or the only one.
func (c *content) choose(member string) (*variable, error) {
	all := c.arrays()
	var known []string
	for _, v := range all {
		known = append(known, fieldOf(v.name))
	}
	if member = strings.Trim(member, "/"); member != "" {
		for _, v := range c.vars {
			if v.name == member || fieldOf(v.name) == member {
				return v, nil
			}
		}
		return nil, &fileio.Error{Kind: fileio.NoMember, Reason: fmt.Sprintf("holds no variable %.60s", member), Known: known}
	}
	switch len(all) {
	case 0:
		return nil, &fileio.Error{Kind: fileio.Empty, Reason: "holds no variables"}
	case 1:
		return all[0], nil
	}
	return nil, &fileio.Error{Kind: fileio.Ambiguous, Reason: fmt.Sprintf("holds %d variables: %s", len(all), strings.Join(known[:min(len(known), 20)], ", ")), Help: fmt.Sprintf("choose one: member: %q", known[0])}
}
