package region

import "slices"

// Set is a set of indices: boxes of which none is empty and no two overlap.
type Set []Region

// With is the set and a box.
func (s Set) With(r Region) Set {
	out := append(slices.Clone(s), s.Missing(r)...)
	for i := 0; i < len(out); i++ {
		for j := i + 1; j < len(out); j++ {
			if both, ok := out[i].joined(out[j]); ok {
				out[i] = both
				out = slices.Delete(out, j, j+1)
				i, j = -1, len(out) // what was joined may touch others
			}
		}
	}
	return out
}

// joined is the box of two that make one.
func (r Region) joined(o Region) (both Region, ok bool) {
	along := -1
	for d := range r {
		if r[d] != o[d] {
			if along >= 0 {
				return nil, false
			}
			along = d
		}
	}
	if along < 0 || r[along].Hi < o[along].Lo || o[along].Hi < r[along].Lo {
		return nil, false
	}
	return r.Hull(o), true
}

// Without is the set but for a box.
func (s Set) Without(r Region) (out Set) {
	for _, b := range s {
		both := b.Intersect(r)
		if both.Empty() {
			out = append(out, b)
			continue
		}
		for d, along := range both {
			for _, rest := range []Interval{{b[d].Lo, along.Lo}, {along.Hi, b[d].Hi}} {
				if !rest.Empty() {
					out = append(out, b.Along(d, rest))
				}
			}
			b = b.Along(d, along)
		}
	}
	return out
}

// Missing is what a set lacks of a box.
func (s Set) Missing(r Region) Set {
	if r.Empty() {
		return nil
	}
	out := Set{r}
	for _, b := range s {
		out = out.Without(b)
	}
	return out
}

// Holds reports whether a set lacks nothing of a box.
func (s Set) Holds(r Region) bool { return len(s.Missing(r)) == 0 }
