package bound

import (
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/planner/plan"
)

// Moves is what a plan in blocks or tiles moves between files and memory, beside what no order of its products can do without, and how fast these are expected to run.
type Moves struct {
	Read    int64    `json:"read_bytes"`
	Written int64    `json:"written_bytes"`
	Least   int64    `json:"least_bytes"` // of both: what is read and written once, or what products move at least in the memory that there is, whichever is more
	Memory  int64    `json:"memory_bytes"`
	Flops   float64  `json:"flops"`          // of the products
	Kernels []string `json:"kernels"`        // that make them
	Share   float64  `json:"share_expected"` // of the rate of the fastest of these that the run as a whole has
}

// Moves is nil where nothing goes by blocks or tiles, or no products of matrices do.
func (p *Plan) Moves() *Moves {
	m, least, once, rate := &Moves{Memory: p.Budget}, 0.0, int64(0), 0.0
	elements := func(of float64, size int) float64 { // that so many products move at least, in bytes
		return of * math.Pow(float64(size), 1.5) / math.Sqrt(float64(p.Budget))
	}
	makes := func(s *Step) {
		m.Kernels = append(m.Kernels, s.ID)
		if ms, _ := s.Kernel.Expected(); ms > 0 {
			rate = max(rate, s.Kernel.Flops/ms*1e3)
		}
	}
	for _, pass := range p.passes() {
		for _, moved := range pass.Reads {
			m.Read += moved.Bytes
		}
		for _, moved := range pass.Writes {
			m.Written += moved.Bytes
		}
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		switch {
		case s.Kernel != nil && p.Stream != nil:
			if moves, size := s.Kernel.product(); moves > 0 {
				makes(s)
				m.Flops += s.Kernel.Flops
				least += elements(moves*s.Kernel.Flops/2, size)
			}
		case s.Drive != nil && s.Drive.Tiles != nil:
			t := s.Drive.Tiles
			for _, moved := range t.Reads {
				m.Read += moved.Bytes
			}
			for _, moved := range t.Writes {
				m.Written += moved.Bytes
			}
			m.Flops += 2 * t.Multiplies
			least += elements(t.Moves*t.Multiplies, p.Buffer(s.Writes[0]).Layout.Elem.Size())
			for _, program := range s.Programs {
				for j := range program.Steps {
					if k := program.Steps[j].Kernel; k != nil {
						if moves, _ := k.product(); moves > 0 {
							makes(&program.Steps[j])
						}
					}
				}
			}
		case s.Kind == plan.ReadStep || s.Kind == plan.SinkStep:
			once += p.once(s)
		}
	}
	if m.Flops == 0 || rate == 0 {
		return nil
	}
	m.Least = max(int64(least), once)
	m.Share = m.Flops / rate / (1e-3 * p.Totals.Wall)
	return m
}

func (p *Plan) passes() []plan.Pass {
	if p.Stream == nil {
		return nil
	}
	return p.Stream.Passes
}

// once is what has to come from a source or go to a sink, if no more than once: all of an array, or less where the plan knows of zeros. Tiles of matrices are of triangles, which
// are half of them.
func (p *Plan) once(step *Step) (bytes int64) {
	tiles := int64(0)
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Drive != nil && s.Drive.Tiles != nil {
			for _, moved := range s.Drive.Tiles.Reads {
				if slices.Contains(step.Writes, moved.Buffer) {
					tiles = p.Buffer(moved.Buffer).Layout.Bytes() / 2
				}
			}
		}
	}
	for _, pass := range p.passes() {
		bytes += pass.Moves(step.ID)
	}
	for _, id := range slices.Concat(step.Reads, step.Writes) {
		bytes = min(bytes, p.Buffer(id).Layout.Bytes())
	}
	return bytes + tiles
}

// product is by how much the products of elements that a kernel sums up, over the root of the elements in memory, bound those that come and go, from below, and the bytes of
// one; 0: it is no product of two matrices. It is one where products are summed up of what differs along an axis along which the other does not, both ways: 2, or half the root of
// it where both are one array (Kwasniewski et al., Red-blue pebbling revisited, 2019; Beaumont et al., arXiv 2202.10217).
func (k *Kernel) product() (moves float64, size int) {
	k.IR.Walk(func(n *ir.Node) {
		if n.Kind != ir.KFold || n.Fold.Monoid != ir.Sum {
			return
		}
		var loads, products []*ir.Node
		ir.WalkNodes(n.Fold.Step, func(x *ir.Node) {
			switch {
			case !x.Free().Meets(n.Fold.IndexBind) || x.Free().Meets(n.Fold.AccBind):
			case x.Kind == ir.KLoad:
				loads = append(loads, x)
			case x.Kind == ir.KAlu && x.Op == ir.Mul && k.apart(x.Args[0], x.Args[1]) && k.apart(x.Args[1], x.Args[0]):
				products = append(products, x)
			}
		})
		for _, x := range products {
			var of [2][]*ir.Buffer
			joined := false // by what differs along the axes of both
			for _, load := range loads {
				of0, of1 := !k.apart(load, x.Args[0]), !k.apart(load, x.Args[1])
				if of0 {
					of[0] = append(of[0], load.Buf)
				}
				if of1 {
					of[1] = append(of[1], load.Buf)
				}
				joined = joined || !of0 && !of1
			}
			if joined || of[0] == nil || of[1] == nil {
				continue
			}
			moves, size = 2, min(of[0][0].Type.Size(), of[1][0].Type.Size())
			if of[0][0] == of[1][0] {
				moves = math.Sqrt2 / 2
			}
		}
	})
	return moves, size
}

// apart reports whether what one value is differs along an axis along which another does not.
func (k *Kernel) apart(a, b *ir.Node) bool {
	for _, axis := range k.IR.Axes {
		if axis.Extent > 1 && a.Free().Meets(axis.Bind()) && !b.Free().Meets(axis.Bind()) {
			return true
		}
	}
	return false
}
