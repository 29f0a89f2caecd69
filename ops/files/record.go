package files

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/problem"
)

// partsOf are the arrays of the file of a call that reads a record of them; nil: it reads an array, or its mistakes are found when that is bound.
func partsOf(c *ops.Call) []format.Part {
	f := formatOf(c.Text("path"), reads)
	if f == nil || f.List == nil || c.Has("member") {
		return nil
	}
	choice, err := chosen(c, f)
	if err != nil {
		return nil
	}
	parts, err := f.List(c.Text("path"), choice)
	if err != nil {
		return nil
	}
	return parts
}

// readRecord reads each array of a file, which is read only where something is made of it.
func readRecord(c *ops.Call, e ops.Expander, parts []format.Part) (ops.Value, error) {
	for _, name := range []string{"unit", "pixel"} {
		if c.Has(name) {
			return nil, problem.Wrong(problem.ContradictArguments, name, "choose one by member", "`%s` is for one array, and %s holds %d", name, c.Text("path"), len(parts))
		}
	}
	names, err := c.Names("dims")
	if err != nil {
		return nil, err
	}
	out := ops.Record{Fields: map[string]ops.Value{}, Without: map[string]string{}}
	most, fields, extents := 0, fieldNames(parts), extentsOf(c, parts, len(names))
	for i, p := range parts {
		switch {
		case p.Not != "":
			out = put(out, p.Name, nil, fmt.Sprintf("%s %s", p.Name, p.Not))
			continue
		case fields[i] == "":
			out = put(out, p.Name+" (again)", nil, "a second array named "+p.Name)
			continue
		}
		if p.Text != nil {
			out = put(out, fields[i], ops.Text(*p.Text), "")
			continue
		}
		args := map[string]ops.Value{"member": ops.Text(p.Name)}
		for name, v := range c.Args {
			args[name] = cmp.Or(args[name], v)
		}
		if len(p.Dims) == 0 && !c.Has("as") {
			if v, ok := number(&ops.Call{Spec: c.Spec, Args: args}); ok {
				out = put(out, fields[i], v, "")
				continue
			}
		}
		if most = max(most, len(p.Dims)); names != nil {
			args["dims"] = dimsAs(p.Dims, along(shapeOf(&ops.Call{Spec: c.Spec, Args: args}), names, extents))
		}
		v := e.Apply("read", args)
		if v == nil {
			return nil, nil
		}
		out = put(out, fields[i], v, "")
	}
	switch {
	case len(out.Names) == 0:
		return nil, problem.Wrong(problem.EmptyArray, "path", "", "%s holds no columns of numbers", c.Text("path"))
	case len(names) > most:
		return nil, problem.Wrong(problem.DimsCount, "dims", fmt.Sprintf("name at most %d", most), "%s holds arrays of at most %d dimensions, and dims names %d", c.Text("path"), most, len(names))
	}
	return out, nil
}

// number is the only element of a part that is a real number, as one that is known while checking: what frequencies and counts beside data are read for. It
// is none where float64 does not have it, or it is missing.
func number(c *ops.Call) (ops.Number, bool) {
	in, err := open(c)
	if err != nil {
		return ops.Number{}, false // the array of the part complains
	}
	defer in.Close()
	if len(in.Shape) > 0 || in.elem().Complex || in.elem().Base == ir.Bool || !in.reads(ops.F64) {
		return ops.Number{}, false
	}
	v := make([]float64, 1)
	if err := in.Read(bytesOf(v), element.Float64, 0, region.Region{}); err != nil {
		return ops.Number{}, false
	}
	if in.Scale != 0 {
		stretch(v, in.Scale, in.Offset)
	}
	const exact = 1 << 53
	if whole := !in.elem().Base.Float(); math.IsNaN(v[0]) || math.IsInf(v[0], 0) || whole && math.Abs(v[0]) > exact {
		return ops.Number{}, false
	}
	return ops.Number{V: v[0]*in.Unit.SI() + in.Unit.Offset, Unit: in.Unit}, true
}

var notInNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^\p{L}\p{N}_.]+|^\p{N}|\.\p{N}`) })

// fieldNames are the fields of the arrays that can be read, each its own: the first of several of one name has it, and those that are named otherwise
// in the language make way for those that are named so, and for records of others. Empty: there is none.
func fieldNames(parts []format.Part) []string {
	out, taken, read, records := make([]string, len(parts)), map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, p := range parts {
		taken[p.Name] = true
		for i, c := range p.Name {
			records[fieldName(p.Name[:i])] = c == '.' || records[fieldName(p.Name[:i])]
		}
	}
	for i, p := range parts {
		if p.Not != "" || read[p.Name] {
			continue
		}
		read[p.Name] = true
		name := fieldName(p.Name)
		for records[name] || name != p.Name && taken[name] {
			name += "_"
		}
		out[i], taken[name] = name, true
	}
	return out
}

// fieldName is the name of an array as the language can write it behind a point.
func fieldName(name string) string {
	return notInNames().ReplaceAllStringFunc(name, func(s string) string {
		if r := []rune(strings.TrimPrefix(s, ".")); unicode.IsDigit(r[0]) {
			return strings.TrimSuffix(s, string(r)) + "_" + string(r)
		}
		return "_"
	})
}

// put is a record with one part more, or why there is none. Names with points are those of records within, as they are written.
func put(r ops.Record, name string, v ops.Value, not string) ops.Record {
	if first, rest, deeper := strings.Cut(name, "."); deeper {
		inner, record := r.Fields[first].(ops.Record)
		if !record && r.Fields[first] == nil {
			inner, record = ops.Record{Fields: map[string]ops.Value{}, Without: map[string]string{}}, true
			r.Put(first, inner)
		}
		if record {
			r.Fields[first] = put(inner, rest, v, not)
			return r
		}
	}
	if v == nil {
		r.Without[name] = not
	} else {
		r.Put(name, v)
	}
	return r
}

// shapeOf is the shape of an array of a file; nil: it cannot be opened, of which it complains where it is read.
func shapeOf(c *ops.Call) []int {
	in, err := open(c)
	if err != nil {
		return nil
	}
	defer in.Close()
	return in.Shape
}

// extentsOf are the extents along so many names: those of the first part that has all of these dims; nil: none has.
func extentsOf(c *ops.Call, parts []format.Part, names int) []int {
	for _, p := range parts {
		if names > 0 && p.Not == "" && p.Text == nil && len(p.Dims) >= names {
			args := maps.Clone(c.Args)
			args["member"] = ops.Text(p.Name)
			if shape := shapeOf(&ops.Call{Spec: c.Spec, Args: args}); len(shape) >= names {
				return shape[:names]
			}
		}
	}
	return nil
}

// along are the names for an array of some shape, of the names that were given with the extents along them: all; of an array of fewer dims the first ones, or, where it
// has other extents along these, those along which it has theirs.
func along(shape []int, names []string, extents []int) []string {
	if len(shape) >= len(names) || len(extents) < len(names) || slices.Equal(shape, extents[:len(shape)]) {
		return names
	}
	var out []string
	from := 0
	for _, n := range shape {
		i := slices.Index(extents[from:], n)
		if i < 0 || slices.Contains(extents[from+i+1:], n) {
			return nil
		}
		out, from = append(out, names[from+i]), from+i+1
	}
	return out
}

// dimsAs are names for the dims of an array: those given come first.
func dimsAs(own, given []string) ops.List {
	var out ops.List
	for i, name := range own {
		if i < len(given) {
			name = given[i]
		}
		for slices.Contains(out, ops.Value(ops.Symbol(name))) { // a name given is another's own
			name += "_"
		}
		out = append(out, ops.Symbol(name))
	}
	return out
}

// recording is a use of write on a record of arrays.
type recording struct {
	format *format.Format
	parts  []format.Named // arrays
	known  []format.Named // texts and numbers
}

func bindRecord(c *ops.Call, r ops.Record) (ops.Op, error) {
	w := &recording{format: formatOf(c.Text("path"), records)}
	if err := Writable(c.Text("path")); err != nil {
		return nil, err
	}
	if w.format == nil {
		return nil, problem.Wrong(problem.CannotStore, "path", "choose a part with `.name`", "a record is written to files ending in %s, not to %s", endings(those(records), false, "or"), c.Text("path"))
	}
	for _, name := range []string{"unit", "as"} {
		if c.Has(name) {
			return nil, problem.Wrong(problem.ContradictArguments, name, "leave it out, or choose a part with `.name`", "`%s` is for one array, and this is a record of %s", name, strings.Trim(r.String(), "{}"))
		}
	}
	if err := w.add(c, r, ""); err != nil {
		return nil, err
	}
	if err := unmeant(w.format, c); err != nil {
		return nil, err
	}
	if len(w.parts) == 0 {
		return nil, problem.Wrong(problem.CannotStore, "array", "", "the record holds no array")
	}
	if err := w.format.CheckRecord(w.parts); err != nil || w.format.Doubts == nil {
		return w, err
	}
	for _, n := range w.parts {
		if err := w.format.Doubts(n.Order); err != nil { // the others lie on the same map
			return w, err
		}
	}
	return w, nil
}

// add takes up the arrays of a record, in their order; those of a record within have its name before their own.
func (w *recording) add(c *ops.Call, r ops.Record, before string) error {
	for _, name := range r.Names {
		switch v := r.Fields[name].(type) {
		case ops.Record:
			if err := w.add(c, v, before+name+"."); err != nil {
				return err
			}
		case ops.Array:
			o, err := order(w.format, c, v.Type())
			if err != nil {
				return err
			}
			o.DType, _ = format.DTypeOf(o.Elem) // what an image is may be narrower
			w.parts = append(w.parts, format.Named{Name: before + name, Order: o})
		case ops.Text:
			if !w.format.Texts {
				return problem.Wrong(problem.CannotStore, "array", "leave it out of the record, or write a .npz", "part %s is a text, and %s files hold none beside arrays", before+name, w.format.Name)
			}
			text := string(v)
			w.known = append(w.known, format.Named{Name: before + name, Text: &text})
		case ops.Number:
			if !w.format.Texts {
				return problem.Wrong(problem.CannotStore, "array", "leave it out of the record, or write a .npz", "part %s is a number, and %s files hold none beside arrays", before+name, w.format.Name)
			}
			shown := format.Shown(v.V, v.Unit)
			w.known = append(w.known, format.Named{Name: before + name, Number: &shown})
		default:
			return problem.Wrong(problem.CannotStore, "array", "leave it out of the record", "part %s is %s, not an array", before+name, v.Kind())
		}
	}
	return nil
}

// Outputs are none.
func (w *recording) Outputs() []ops.Output { return nil }

// File is the path.
func (w *recording) File() string { return w.parts[0].Order.Path }

// Take writes all of the arrays.
func (w *recording) Take(ctx context.Context, in []ops.HostArray, _ ops.Terminal) (ops.Note, error) {
	parts := slices.Clone(w.parts)
	for i := range parts {
		parts[i].Array, parts[i].Order.Type = in[i], in[i].Type // of which there may be fewer elements than there is room for
	}
	return w.write(ctx, parts)
}

// write writes the file of arrays that are there.
func (w *recording) write(ctx context.Context, parts []format.Named) (ops.Note, error) {
	if err := w.format.CheckRecord(parts); err != nil {
		return ops.Note{}, err
	}
	all, path := slices.Concat(parts, w.known), ops.PathFor(ctx, w.File())
	names := make([]string, len(all))
	for i, n := range all {
		names[i] = n.Name
	}
	if err := w.format.WriteRecord(ctx, path, all); err != nil {
		return ops.Note{}, failure(err, true)
	}
	return wrote(ctx, w.format, path, strings.Join(names, ", "))
}
