package diag

import (
	"cmp"
	"slices"
	"strings"
)

// maxSuggestions bounds what Nearest offers: more than a few names is a listing, not a suggestion.
const maxSuggestions = 3

// Nearest returns the candidates that a misspelt name may stand for, at most three: those at the least
// Damerau-Levenshtein distance (optimal string alignment, case folded), in alphabetical order, when that distance is
// at most a third of the longer name, or one edit. The name itself is never returned.
func Nearest(name string, candidates []string) []string {
	type scored struct {
		name     string
		distance int
	}
	folded := []rune(strings.ToLower(name))
	var near []scored
	for _, c := range candidates {
		if c == name {
			continue
		}
		other := []rune(strings.ToLower(c))
		limit := max(1, max(len(folded), len(other))/3)
		if min(len(folded), len(other)) < 2 {
			limit = 0 // one letter resembles every other letter; only its case may be wrong
		}
		if d := distance(folded, other, limit); d <= limit {
			near = append(near, scored{c, d})
		}
	}
	slices.SortFunc(near, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	near = slices.Compact(near)
	var out []string
	for _, s := range near[:min(len(near), maxSuggestions)] {
		if s.distance == near[0].distance {
			out = append(out, s.name)
		}
	}
	return out
}

// distance is the optimal string alignment distance (insert, delete, replace, swap neighbours: 1 each), or any
// number above limit when the distance exceeds limit.
func distance(a, b []rune, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	before := make([]int, len(b)+1) // the row before the previous one
	prev := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := prev[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(prev[j]+1, row[j-1]+1, replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}
