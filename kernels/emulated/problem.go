package emulated

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

// Problem is a mistake in a description.
type Problem struct {
	Line int // from 1; 0: none in particular
	Text string
}

func (p Problem) Error() string {
	if p.Line == 0 {
		return p.Text
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Text)
}

var (
	lineOf     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:yaml: )?line (\d+): (.*)$`) })
	offByOne   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^did not find expected (<document|'|key|node)`) }) // the YAML package counts lines from 0 here
	unknownKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^field (\S+) not found in type .*$`) })
	wrongKind  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^cannot unmarshal \\S+(?: `(.*)`)? into (.*)$") })
)

// kindsOf are what YAML's names of Go's types mean to people.
var kindsOf = map[string]string{"int": "a whole number", "[3]int": "three whole numbers, such as [65535, 65535, 1]", "float64": "a number", "bool": "true or false", "string": "a text"}

// problemsOf says what is wrong with a YAML text in the words of someone who writes it.
func problemsOf(err error) error {
	if errors.Is(err, io.EOF) {
		return Problem{Text: "empty: list devices under the key devices"}
	}
	lines := []string{err.Error()}
	var several *yaml.TypeError
	if errors.As(err, &several) {
		lines = several.Errors
	}
	var out []error
	for _, l := range lines {
		p := Problem{Text: strings.TrimPrefix(l, "yaml: ")}
		if m := lineOf().FindStringSubmatch(l); m != nil {
			p.Line, _ = strconv.Atoi(m[1]) // digits
			p.Text = m[2]
			if offByOne().MatchString(p.Text) {
				p.Line++
			}
		}
		if m := unknownKey().FindStringSubmatch(p.Text); m != nil {
			p.Text = "there is no key " + m[1]
		}
		if m := wrongKind().FindStringSubmatch(p.Text); m != nil {
			want, ok := kindsOf[m[2]]
			if !ok {
				want = "keys and values, or a list of them"
			}
			p.Text = strings.TrimSpace(m[1] + " is not what belongs here: " + want)
		}
		out = append(out, p)
	}
	return errors.Join(out...)
}

// linesOf are the lines at which the devices of a text begin.
func linesOf(text []byte) []int {
	var file struct {
		Devices []yaml.Node `yaml:"devices"`
	}
	var out []int
	if yaml.Unmarshal(text, &file) == nil {
		for _, n := range file.Devices {
			out = append(out, n.Line)
		}
	}
	return out
}

var named = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`) })

// taken are names that mean something else where a device is asked for.
var taken = []string{"cpu", "gpu", "cuda", "native", "interpreter"}

// nameProblem says why a device cannot have a name; empty: it can.
func nameProblem(name string) string {
	switch {
	case !named().MatchString(name):
		return fmt.Sprintf("name %q; letters, digits, - and _, beginning with a letter", name)
	case slices.Contains(taken, name):
		return fmt.Sprintf("name %q means something else; choose another", name)
	}
	return ""
}
