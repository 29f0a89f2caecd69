package codegen

import (
	. "weft/kernels/codegen/tree"
	"weft/kernels/codegen/values"
	"weft/kernels/schedule"
)

// room are registers of a thread of a GPU, of its 255, that values may take by their types: compilers need some themselves.
const room = 192

// maxShared is what static shared memory holds, in bytes.
const maxShared = 48 << 10

// thrifty is a program in an order in which its values fit the registers of a thread, or all but those are set aside that do not. Where that is so, what
// is made once for all blocks that a thread computes is made for each: it hardly ever computes several.
func (g *gen) thrifty(s schedule.CUDA, loops func([]*values.Scope) []Stmt) (t Thrift, out []Stmt) {
	t = Thrift{Ample: room}
	if out = t.Order(loops(g.Stack)); t.Most <= room {
		return t, out
	}
	var inner []*values.Scope
	var all []Stmt
	for _, sc := range g.Stack {
		in := &values.Scope{}
		for _, x := range sc.Body {
			if IsMemory(x) {
				in.Add(x)
			} else {
				all = append(all, x)
			}
		}
		inner = append(inner, in)
	}
	inner[len(inner)-1].Add(all...)
	t = Thrift{Ample: room, Room: room, Threads: schedule.Product(s.Block) * max(s.Fold, 1), Bytes: maxShared}
	for _, x := range g.team.tiles {
		t.Bytes -= x.Bytes()
	}
	if g.team.block {
		t.Bytes -= blockShares
	}
	return t, t.Order(loops(inner))
}
