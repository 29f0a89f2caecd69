package notebook

import (
	"context"
	"fmt"
	"slices"

	"weft/lang/syntax"
	"weft/ops"
)

// kept are values that were computed, by the key of what they are made of.
type kept struct {
	arrays map[string]*array
	order  []string // keys, the one that was used longest ago first
	bytes  int64
	most   int64

	computed map[string]*array // by the last run, not kept yet
}

// array is a value in memory, as it was stored.
type array struct {
	host   ops.HostArray
	bytes  int64
	lo, hi float64
}

// take makes sources of the uses of operators whose values are kept: everything that follows from them stays as it was checked.
func (k *kept) take(used []definition, defs map[*syntax.Name]ops.Value) {
	for _, d := range used {
		a, ok := defs[d.at].(ops.Array)
		if held := k.arrays[d.key]; ok && held != nil && keepable(a) {
			k.touch(d.key)
			op := a.Of
			op.Become(keptSpec, &source{held, ops.Gives(op.Out)}, &ops.Call{Spec: keptSpec, Args: map[string]ops.Value{}})
		}
	}
}

// keepable reports whether an array is all that its operator makes, of a size that is known.
func keepable(a ops.Array) bool {
	return len(a.Of.Out) == 1 && !slices.ContainsFunc(a.Type().Dims, func(d ops.Dim) bool { return d.Count != nil })
}

// sinks remember the values that are named where they are asked for, and are not kept yet, until it is known that they are right.
func (k *kept) sinks(used []definition, defs map[*syntax.Name]ops.Value) (out []*ops.Instance) {
	k.computed = map[string]*array{}
	for i, d := range used {
		a, ok := defs[d.at].(ops.Array)
		if !ok || !d.direct || !keepable(a) || a.Of.Spec == givenSpec || k.arrays[d.key] != nil || 2*a.Type().Bytes() > k.most {
			continue
		}
		args := map[string]ops.Value{"a": a}
		out = append(out, &ops.Instance{ID: -1 - i, Spec: keepSpec, Bound: &sink{k, d.key}, Call: &ops.Call{Spec: keepSpec, Args: args}, Where: a.Of.Where})
	}
	return out
}

// keep keeps what the last run computed.
func (k *kept) keep() {
	for key, a := range k.computed {
		k.add(key, a)
	}
	k.computed = nil
}

func (k *kept) touch(key string) {
	for i, o := range k.order {
		if o == key {
			k.order = append(append(k.order[:i:i], k.order[i+1:]...), key)
			return
		}
	}
	k.order = append(k.order, key)
}

// add keeps a value, in place of those that were used longest ago.
func (k *kept) add(key string, a *array) {
	for k.bytes+a.bytes > k.most && len(k.order) > 0 {
		k.bytes -= k.arrays[k.order[0]].bytes
		delete(k.arrays, k.order[0])
		k.order = k.order[1:]
	}
	k.arrays[key] = a
	k.bytes += a.bytes
	k.touch(key)
}

var (
	keptSpec = &ops.Spec{Name: "kept", Doc: "A value that was computed before."}
	keepSpec = &ops.Spec{Name: "keep", Doc: "Keep a value.", Params: []ops.Param{{Name: "a", Accept: ops.KArray, Unit: "*"}}}
)

// source gives a value that is kept.
type source struct {
	*array
	ops.Gives
}

// Range is that of the values, which were looked at when they were kept.
func (s *source) Range(int) (lo, hi float64, err error) { return s.lo, s.hi, nil }

// Fill copies.
func (s *source) Fill(_ context.Context, to ops.HostArray) (ops.Note, error) {
	if err := Copy(to, s.host); err != nil {
		return ops.Note{}, err
	}
	return ops.Note{Text: "computed before", Bytes: to.Type.Bytes()}, nil
}

// sink remembers a value.
type sink struct {
	*kept
	key string
}

// Outputs are none.
func (*sink) Outputs() []ops.Output { return nil }

// Take copies.
func (s *sink) Take(_ context.Context, in []ops.HostArray, _ ops.Terminal) (ops.Note, error) {
	h := in[0]
	a := &array{host: ops.NewHostArray(h.Type), bytes: h.Type.Bytes()}
	if err := Copy(a.host, h); err != nil {
		return ops.Note{}, err
	}
	a.lo, a.hi = rangeOf(a.host)
	s.computed[s.key] = a
	return ops.Note{}, nil
}

// Copy copies an array between storages of one type or another.
func Copy(to, from ops.HostArray) error {
	if len(to.Parts) != len(from.Parts) {
		return fmt.Errorf("%s is not stored as %s", from.Type, to.Type)
	}
	for i, p := range to.Parts {
		q := from.Parts[i]
		if p.Rows() != q.Rows() || p.Width() != q.Width() {
			return fmt.Errorf("%s is not stored as %s", from.Type, to.Type)
		}
		same, row := p.Buf.Type == q.Buf.Type, make([]float64, p.Width())
		for r := range p.Rows() {
			if same {
				copy(p.Row(r), q.Row(r))
				continue
			}
			q.LoadRow(row, r)
			p.StoreRow(r, row)
		}
	}
	return nil
}
