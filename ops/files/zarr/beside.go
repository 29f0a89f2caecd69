package zarr

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"weft/kernels/region"
	"weft/ops/files/cf"
	"weft/ops/files/element"
	"weft/ops/files/wkt"
	"weft/ops/files/words"
)

// told is an array of a group that tells something of others, as the CF conventions have it and xarray writes it.
type told struct {
	store, member string
	*description
}

func (t told) Name() string { return path.Base(t.member) }

func (t told) Attribute(name string) (string, []float64) {
	text, _ := t.Attributes.text(name)
	numbers, _ := t.Attributes.numbers(name)
	return text, numbers
}

func (t told) Shape() []int { return t.description.Shape }

func (t told) Values() ([]float64, error) {
	in, err := open(t.store, map[string]string{"member": t.member})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	about, whole := in.About(), region.Whole(t.description.Shape...)
	out := make([]float64, whole.Points())
	if err := in.Read(words.Raw(out), element.Float64, 0, whole); err != nil {
		return nil, err
	}
	if about.Scale != 0 {
		for i := range out {
			out[i] = out[i]*about.Scale + about.Offset
		}
	}
	return out, nil
}

// named is the code of a system of coordinates that an array names itself, in place of a grid mapping.
type named int

func (named) Name() string { return crsName }

func (n named) Attribute(name string) (string, []float64) {
	return map[string]string{cf.Code: fmt.Sprintf("EPSG:%d", int(n)), cf.WKT: wkt.Of(int(n))}[name], nil
}

func (named) Shape() []int { return nil }

func (named) Values() ([]float64, error) { return nil, nil }

// isAxis reports coordinates of a dim: numbers along the dim of its own name.
func (d *description) isAxis(name string) bool {
	return len(d.Shape) == 1 && len(d.Names) == 1 && d.Names[0] != nil && *d.Names[0] == path.Base(name)
}

// gridMapping is the name of the array that tells the system of coordinates; empty: none does.
func (d *description) gridMapping() string {
	text, _ := d.Attributes.text(cf.GridMapping)
	name, _, _ := strings.Cut(text, ":")
	if name = strings.TrimSpace(name); strings.Contains(name, " ") {
		return ""
	}
	return name
}

// sibling is an array of the group of a member or of one around it; nil: there is none.
func sibling(root *os.Root, store, member, name string) *told {
	for group := path.Dir(member); name != ""; group = path.Dir(group) {
		at := path.Join(group, name)
		if inner, err := root.OpenRoot(at); err == nil {
			d, err := describe(inner)
			inner.Close()
			if err == nil && d.Node == "array" {
				return &told{store, at, d}
			}
		}
		if group == "." || group == "/" {
			break
		}
	}
	return nil
}

// beside finds the coordinates of the dims of a member of a group, and the array that tells their system.
func (a *array) beside(root *os.Root, store, member string, d *description) {
	a.along = make([]cf.Variable, len(d.Shape))
	for i, name := range d.Names {
		if name == nil || i >= len(a.along) {
			continue
		}
		if at := sibling(root, store, member, *name); at != nil && at.member != path.Clean(member) && at.isAxis(at.member) {
			a.along[i] = at
		}
	}
	if m := sibling(root, store, member, d.gridMapping()); m != nil {
		a.mapping = m
	}
	if code := d.Attributes.system(); a.mapping == nil && code != 0 {
		a.mapping = named(code)
	}
}

// arrays are those of the members that are read as such: others are coordinates, their bounds, and descriptions of systems of coordinates. Of a group of
// nothing else they are these.
func arrays(root *os.Root, members []string) []string {
	beside := map[string]bool{}
	for _, name := range members {
		of := sibling(root, "", name, name)
		if of == nil {
			continue
		}
		bounds, _ := of.Attributes.text("bounds")
		beside[name] = beside[name] || of.isAxis(name)
		beside[of.gridMapping()], beside[bounds] = true, true
	}
	out := slices.DeleteFunc(slices.Clone(members), func(name string) bool { return beside[name] })
	if len(out) == 0 {
		return members
	}
	return out
}
