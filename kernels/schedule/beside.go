package schedule

import (
	"weft/kernels/ir"
	"weft/kernels/schedule/groups"
)

// Transposed are the buffers that a kernel reads faster with their last two dims transposed: it gathers all
// elements along the last dim but one at scattered places of the last, too far apart for windows to serve.
func Transposed(k *ir.Kernel, t Target) []*ir.Buffer {
	s := newSurvey(k, t)
	f := s.heaviest()
	axes := s.scattered(f)
	beside := s.gatheredAlong(f)
	if len(axes) == 0 || len(beside) == 0 || s.times(f.Node)*s.trips(f) < longFold {
		return nil
	}
	apart, _ := s.laneTiles(f, axes)
	s.beside = map[*ir.Buffer]bool{}
	for _, b := range beside {
		s.beside[b] = true
	}
	together, _ := s.laneTiles(f, axes)
	if len(apart) == 0 || together[0].cost >= apart[0].cost {
		return nil
	}
	return beside
}

// gatheredAlong are the buffers of more than two dims all of whose loads lie in fold f, at rounded places along the last dim
// and at every index, each a constant, along the last but one.
func (s *survey) gatheredAlong(f *ir.Fold) (out []*ir.Buffer) {
	seen := map[*ir.Buffer]map[int64]bool{}
	refused := map[*ir.Buffer]bool{}
	var order []*ir.Buffer
	for _, n := range s.nodes {
		if n.Kind != ir.KLoad {
			continue
		}
		b, index := n.Buf, n.Index()
		at := len(index) - 2
		if at < 1 || b.Type != ir.F32 || !groups.Serve(b.Shape[at]) || s.deepest(n) != f || index[at].Kind != ir.KConst || len(rounded(index[at+1])) == 0 {
			refused[b] = true
			continue
		}
		if seen[b] == nil {
			seen[b] = map[int64]bool{}
			order = append(order, b)
		}
		seen[b][index[at].I] = true
	}
	for _, b := range order {
		if !refused[b] && len(seen[b]) == b.Shape[len(b.Shape)-2] {
			out = append(out, b)
		}
	}
	return out
}
