package syntax

import (
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documented are the productions of docs/grammar.md by name: sequences of tokens of the notation.
func documented(t *testing.T) (string, map[string][]string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/grammar.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "```ebnf\n")
	block, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatal("docs/grammar.md has no block of ebnf")
	}
	notation := regexp.MustCompile(`"[^"]*"|<[a-z]+>|[A-Z][A-Za-z]*|[()|?*]`)
	grammar := map[string][]string{}
	for line := range strings.Lines(block) {
		name, production, ok := strings.Cut(strings.TrimSuffix(line, " .\n"), " = ")
		if !ok || grammar[name] != nil {
			t.Errorf("bad line %q", line)
		}
		grammar[name] = notation.FindAllString(production, -1)
	}
	return block, grammar
}

func TestGrammarDefinesWhatItUses(t *testing.T) {
	block, grammar := documented(t)
	used := map[string]bool{"File": true}
	for _, production := range grammar {
		for _, token := range production {
			if token[0] >= 'A' && token[0] <= 'Z' {
				used[token] = true
				if grammar[token] == nil {
					t.Errorf("%s is used and not defined", token)
				}
			}
		}
	}
	for name := range grammar {
		if !used[name] {
			t.Errorf("%s is defined and not used", name)
		}
	}
	for _, text := range slices.Concat(keywords, punctuation) {
		if !strings.Contains(block, `"`+text+`"`) {
			t.Errorf("%s is in no production", text)
		}
	}
}

// speaker says sentences of a grammar.
type speaker struct {
	*rand.Rand
	grammar map[string][]string
	depth   int
	said    []string
}

var spoken = map[string][]string{
	"<ident>": {"a", "b", "loop"}, "<number>": {"2", "30"}, "<string>": {`"s"`}, "<unit>": {"m", "mm"}, "<unitjoin>": {"*", "/"},
	"<unitpower>": {"^2", "^ -3"}, "<newline>": {"\n"},
}

// sequence says alternatives of a part of a production, one of them; what repeats or may be absent gets rarer with depth.
func (s *speaker) sequence(tokens []string) {
	var alternatives [][]string
	start, depth := 0, 0
	for i, token := range tokens {
		switch {
		case token == "(":
			depth++
		case token == ")":
			depth--
		case token == "|" && depth == 0:
			alternatives = append(alternatives, tokens[start:i])
			start = i + 1
		}
	}
	alternatives = append(alternatives, tokens[start:])
	chosen := alternatives[s.IntN(len(alternatives))]
	if s.depth > 30 {
		chosen = alternatives[len(alternatives)-1] // of operators the stronger, of atoms ...
	}
	for i := 0; i < len(chosen); {
		end := i + 1
		if chosen[i] == "(" {
			for n := 1; n > 0; end++ {
				n += map[string]int{"(": 1, ")": -1}[chosen[end]]
			}
		}
		times, after := 1, end
		if end < len(chosen) && (chosen[end] == "?" || chosen[end] == "*") {
			after = end + 1
			if times = s.IntN(3); chosen[end] == "?" || s.depth > 12 {
				times = s.IntN(2)
			}
			if s.depth > 20 || chosen[i] == "Unit" && slices.Contains(s.said[max(0, len(s.said)-4):], "^") { // an exponent takes no unit
				times = 0
			}
		}
		for range times {
			s.say(chosen[i:end])
		}
		i = after
	}
}

func (s *speaker) say(part []string) {
	s.depth++
	defer func() { s.depth-- }()
	switch token := part[0]; {
	case token == "(":
		s.sequence(part[1 : len(part)-1])
	case token[0] == '"':
		s.said = append(s.said, strings.Trim(token, `"`))
	case token[0] == '<':
		s.said = append(s.said, spoken[token][s.IntN(len(spoken[token]))])
	case token == "Atom" && s.depth > 25:
		s.said = append(s.said, "a")
	default:
		s.sequence(s.grammar[token])
	}
}

// TestWhatTheGrammarSaysIsParsed checks that every sentence of the documented grammar is one of the language.
func TestWhatTheGrammarSaysIsParsed(t *testing.T) {
	_, grammar := documented(t)
	for seed := range uint64(3000) {
		s := &speaker{Rand: rand.New(rand.NewPCG(seed, 1)), grammar: grammar}
		s.say([]string{"File"})
		if _, diags := parse(strings.Join(s.said, " ")); diags.Len() > 0 {
			t.Fatalf("seed %d: %s\n%s", seed, strings.Join(s.said, " "), diags)
		}
	}
}
