package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// Sum identifies what is computed, as Hash holds it: kernels, their order and arguments, the settings of sources and sinks, the values of
// tables. Whoever edits these in a plan seals it with a new one.
func (p *Plan) Sum() string {
	h := sha256.New()
	sum(h, p.Steps)
	for _, b := range p.Buffers {
		fmt.Fprintln(h, b.ID, b.Stage, b.Type, b.Role, b.Around, b.Values)
	}
	for _, n := range p.Numbers {
		if n.Fixed == "" {
			fmt.Fprintln(h, n.Name, n.Value)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func sum(h io.Writer, steps []Step) {
	for _, s := range steps {
		fmt.Fprintln(h, s.Kind, s.Name, s.Args, s.Reads, s.Writes)
		if s.Kernel != nil {
			fmt.Fprintln(h, s.Kernel.Hash)
		}
		if d := s.Drive; d != nil {
			fmt.Fprintln(h, d.Start)
			if d.Rounds != nil {
				fmt.Fprintln(h, *d.Rounds)
			}
			for _, p := range d.Programs {
				fmt.Fprintln(h, p.Name, p.Most, p.Now, p.Next, p.Once, p.Boxed, p.Share, p.Plan.Sum())
			}
		}
	}
}
