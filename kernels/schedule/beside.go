package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/kernels/ir"
)

// groups reports whether gathers fetch n elements side by side by twos or fours.
func groups(n int) bool { return n >= 2 && n <= 4 || n == 8 }

// Brought is how many elements a gather of a group of n brings: of three a fourth as well, which memory has behind every array.
func Brought(n int) int { return (n + 1) &^ 1 }

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
		if at < 1 || b.Type != ir.F32 || !groups(b.Shape[at]) || s.deepest(n) != f || index[at].Kind != ir.KConst || len(rounded(index[at+1])) == 0 {
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

// Groups finds the loads of a kernel that lie together, by load: two to four whose elements lie side by side in memory, the first at the
// lowest address. Lanes fetch them by one load instruction each, and most often from one cache line. Loads that padding guards are cut
// to it one by one.
func Groups(k *ir.Kernel, lanes int) map[*ir.Node][]*ir.Node {
	type near struct {
		buf          *ir.Buffer
		guard, other *ir.Node
		terms        string
	}
	at := map[*ir.Node]int64{}
	sets := map[near][]*ir.Node{}
	var order []near
	k.Walk(func(n *ir.Node) {
		if n.Kind != ir.KLoad || n.Buf.Type != ir.F32 || n.Buf.Cells() > 1<<31-1 {
			return
		}
		if covered, _ := ir.PadCover(n, lanes); covered {
			return
		}
		l := ir.Flatten(n.Buf, n.Index())
		slices.SortFunc(l.Terms, func(a, b ir.Term) int { return cmp.Compare(a.N.ID(), b.N.ID()) })
		var text strings.Builder
		for _, t := range l.Terms {
			fmt.Fprintf(&text, "%d*%d ", t.N.ID(), t.Coef)
		}
		at[n] = l.C
		key := near{buf: n.Buf, terms: text.String()}
		if n.Guarded {
			key.guard, key.other = n.Guard()
		}
		if sets[key] == nil {
			order = append(order, key)
		}
		sets[key] = append(sets[key], n)
	})
	out := map[*ir.Node][]*ir.Node{}
	for _, key := range order {
		loads := sets[key]
		slices.SortStableFunc(loads, func(a, b *ir.Node) int { return cmp.Compare(at[a], at[b]) })
		for len(loads) > 1 {
			n := 1
			for n < min(len(loads), 4) && at[loads[n]] == at[loads[0]]+int64(n) {
				n++
			}
			if n < 2 {
				loads = loads[1:]
				continue
			}
			for _, x := range loads[:n] {
				out[x] = loads[:n:n]
			}
			loads = loads[n:]
		}
	}
	return out
}
