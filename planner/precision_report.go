package planner

import (
	"cmp"
	"fmt"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/retype"
	"weft/ops"
)

// because says why a kernel keeps what it keeps.
func (p *pins) because(g *group) (why []string) {
	add := func(format string, a ...any) {
		if s := fmt.Sprintf(format, a...); !slices.Contains(why, s) {
			why = append(why, s)
		}
	}
	for _, s := range g.loads {
		if w := p.storage[s]; w != "" && s.Type.Elem.Base.Float() && s.Data == nil {
			add("%s is %s: it %s", s.Name, pinned(s.Type.Elem.Base, p.bufs[s].Type), w)
		}
	}
	if w := p.compute[g]; w != "" {
		add("computing is %s: it %s", pinned(ir.F32, cmp.Or(g.types.Compute, ir.F32)), w)
	}
	return why
}

// pinned says that a type must not be narrower, of what has it or a wider one.
func pinned(at, is ir.DType) string {
	if is == at {
		return fmt.Sprintf("pinned at %s", at)
	}
	return fmt.Sprintf("in %s, and could not be below %s", is, at)
}

// describeStorage says how an array lies in memory, or why it keeps its type.
func (b *builder) describeStorage(buf *Buffer) {
	s := buf.Array
	if buf.Ir.Type != s.Type.Elem.Base {
		buf.Stored, buf.Scale = buf.Ir.Type.String(), b.scales[s]
	}
	switch {
	case !s.Type.Elem.Base.Float() || buf.Role != FromKernel:
	case b.a.g.wanted[s]:
		buf.Pinned = "goes to a sink"
	default:
		buf.Pinned = b.pins.storage[s]
	}
}

// Narrowed reports an array that is stored, or a kernel that computes, in fewer digits than its operators say.
func (p *Plan) Narrowed() bool {
	return slices.ContainsFunc(p.Buffers, func(b Buffer) bool { return b.narrowed() }) ||
		slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Kernel != nil && len(s.Kernel.Precision.Emulated) > 0 })
}

// narrowed reports an array stored in fewer digits than its operator says.
func (b *Buffer) narrowed() bool { return b.Stored != "" && narrower(b.Ir.Type) }

// Value is what a stored element stands for: itself, but for integers that count units from retype.Middle.
func (b *Buffer) Value(stored complex128) complex128 {
	if b.Scale == 0 {
		return stored
	}
	middle := complex(retype.Middle, 0)
	if b.Array.Type.Elem.Complex {
		middle += complex(0, retype.Middle)
	}
	return complex(b.Scale, 0) * (stored - middle)
}

// Peak is the largest magnitude of an array whose stored elements reach so far; of counted ones, the largest they can hold.
func (b *Buffer) Peak(stored float64) float64 {
	if b.Scale == 0 {
		return stored
	}
	return b.Scale * retype.Middle
}

// Forced names what @precision asks for in what a stage is made from, the stage included; "" if it asks for nothing narrow.
func (p *Plan) Forced(s *ops.Stage) string {
	seen := map[*ops.Stage]bool{}
	var find func(s *ops.Stage) string
	find = func(s *ops.Stage) string {
		if seen[s] {
			return ""
		}
		seen[s] = true
		if a := s.Hints().Precision; narrower(a.Storage) || narrower(a.Compute) || narrower(a.Accumulate) {
			return fmt.Sprintf("@precision(%s) of %s", a, s.Op.Spec.Name)
		}
		for _, in := range s.Inputs {
			if f := find(in); f != "" {
				return f
			}
		}
		return ""
	}
	return find(s)
}

// keepForProof lets arrays live on that a sampled output must be computed from again, in float64, because what it was
// computed from in the plan is stored in fewer digits.
func (b *builder) keepForProof() {
	if !slices.ContainsFunc(b.plan.Buffers, func(b Buffer) bool { return b.Stored != "" }) {
		return
	}
	made := map[*ops.Stage]int{}
	for i, s := range b.plan.Steps {
		for _, id := range s.Writes {
			made[b.plan.Buffer(id).Array] = i
		}
		for _, id := range s.Reads {
			if buf := b.plan.Buffer(id); buf.Role == FromPlan {
				made[buf.Array] = 0
			}
		}
	}
	for i, s := range b.plan.Steps {
		if s.Kernel == nil {
			continue
		}
		ref := b.plan.Reference(s.Kernel.Roots, func(st *ops.Stage) bool { at, ok := made[st]; return ok && at < i })
		for _, st := range ref.Loads {
			if id, ok := b.ids[st]; ok {
				b.plan.outlive(id, i)
			}
		}
	}
	b.peak()
}

// outlive keeps a buffer until after a step.
func (p *Plan) outlive(id string, step int) {
	for i := range step {
		if at := slices.Index(p.Steps[i].Frees, id); at >= 0 {
			p.Steps[i].Frees = slices.Delete(p.Steps[i].Frees, at, at+1)
			p.Steps[step].Frees = append(p.Steps[step].Frees, id)
			slices.Sort(p.Steps[step].Frees)
			return
		}
	}
}
