package doc

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// split gives the words of a text, in lower case; points and underscores within names belong to them.
func split(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '.'
	})
	out := words[:0]
	for _, w := range words {
		if w = strings.Trim(w, "."); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// index counts the words of a section.
func (s *Section) index() {
	s.heading, s.words = split(s.Title), map[string]int{}
	for _, w := range split(s.Text) {
		s.words[w]++
		if _, last, ok := strings.Cut(w, "."); ok { // simulate.city is found as city, too
			s.words[last]++
		}
	}
}

// Weights of where a word is found: a title of which it is the whole says what is looked for, and many mentions say little more than five.
const (
	wholeTitle   = 1000
	inTitle      = 100
	beginsTitle  = 30
	mostMentions = 5
)

// score says how well a section answers a word; 0: it does not.
func (s Section) score(word string) int {
	n := min(s.words[word], mostMentions)
	for _, h := range s.heading {
		_, last, _ := strings.Cut(h, ".")
		switch {
		case h == word && len(s.heading) == 1:
			n += wholeTitle
		case h == word || last == word:
			n += inTitle
		case strings.HasPrefix(h, word):
			n += beginsTitle
		}
	}
	if n == 0 && len(word) >= 3 {
		for w := range s.words {
			if strings.HasPrefix(w, word) {
				return 1
			}
		}
	}
	return n
}

// Find gives the sections that have all words of a query, the best first.
func (s *Site) Find(query string) []Section {
	type found struct {
		Section
		score int
	}
	var all []found
	words := split(query)
	for _, p := range s.Pages {
	sections:
		for _, sec := range p.Sections {
			total := 0
			for _, w := range words {
				n := sec.score(w)
				if n == 0 {
					continue sections
				}
				total += n
			}
			if total > 0 {
				all = append(all, found{sec, total})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.score, a.score) })
	out := make([]Section, len(all))
	for i, f := range all {
		out[i] = f.Section
	}
	return out
}

// Lead is the first line of text of a section that is neither heading, table nor program.
func (s Section) Lead() string {
	fenced := false
	for _, line := range strings.Split(s.Text, "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		if line == "" || fenced || strings.ContainsAny(line[:1], "#<|! \t") {
			continue
		}
		return line
	}
	return ""
}
