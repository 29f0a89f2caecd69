package check

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"weft/lang/check/slips"
	"weft/lang/diag"
	"weft/lang/library"
	"weft/ops"
	"weft/ops/problem"
)

// manyMistakes is how many messages a person reads before the first ones are mended: beyond it no suggestions are sought,
// each of which costs a comparison with every name of the file.
const manyMistakes = 100

func (c *checker) nearest(name string, candidates []string) []string {
	if c.diags.Len() > manyMistakes {
		return nil
	}
	return diag.Nearest(name, candidates)
}

// similar helps with an unknown operator: by a name that would accept these arguments, or else by the nearest one with the
// reason why it would not do.
func (c *checker) similar(d *diag.Diagnostic, name string, at site, args []argument, ok bool) {
	if c.diags.Len() > manyMistakes {
		return
	}
	for _, n := range c.scope.all() {
		if _, part := library.Doc(n + "." + name); part && c.scope.lookup(n).use != nil {
			c.scope.lookup(n).used = true // as it is meant to be
			d.Suggest(n + "." + name)
			return
		}
	}
	if text := library.Instead(name); text != "" {
		d.Helpf("%s", text)
		return
	}
	candidates := slices.Clone(c.cat.Names())
	for _, n := range c.scope.all() {
		if c.scope.lookup(n).fn != nil {
			candidates = append(candidates, n)
		}
	}
	var fit []string
	reason := ""
	near := c.nearest(name, candidates)
	for _, n := range near {
		spec := c.cat.Lookup(n)
		if spec == nil || !ok {
			fit = append(fit, n)
			continue
		}
		failed := c.trial(func() { c.applySpec(spec, at, args) })
		if failed == nil {
			fit = append(fit, n)
		} else if reason == "" {
			reason = fmt.Sprintf("the nearest name is `%s`, which does not fit: %s", n, failed.Message)
		}
	}
	switch {
	case len(fit) > 0:
		d.Suggest(fit...)
	case reason != "":
		d.Helpf("%s", reason)
	default:
		d.Helpf("`weft ops` lists the operators")
	}
}

// trial runs something whose reports and sinks are thrown away, and gives the first error it met. Definitions that it is the first to
// use are evaluated for good all the same.
func (c *checker) trial(f func()) *diag.Diagnostic {
	before := c.findings
	c.findings = newFindings()
	f()
	found := c.diags.Sorted()
	c.findings = before
	i := slices.IndexFunc(found, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error })
	if i < 0 {
		return nil
	}
	return found[i]
}

// meant are the names a person may have meant by the one that an operator complains about: those like it with which the
// operator does not complain of this argument.
func (b *binder) meant(p problem.Problem) []string {
	if len(p.Known) == 0 {
		return nil
	}
	arg, item, _ := strings.Cut(p.Arg, ".")
	written := slips.NameIn(b.call.Args[arg], item)
	return slices.DeleteFunc(b.c.alike(written, p.Known), func(n string) bool {
		call := *b.call
		call.Args = map[string]ops.Value{}
		for k, v := range b.call.Args {
			call.Args[k] = v
		}
		call.Args[arg] = slips.Replace(call.Args[arg], written, n)
		return slices.ContainsFunc(complaints(b.spec, &call), func(q problem.Problem) bool { return q.Arg == p.Arg && !q.Warning })
	})
}

// alike is nearest, but of files compares names without folder and ending, which all have in common.
func (c *checker) alike(name string, known []string) []string {
	stems := make([]string, len(known))
	for i, k := range known {
		stems[i] = stem(k)
	}
	var out []string
	for _, s := range c.nearest(stem(name), stems) {
		out = append(out, known[slices.Index(stems, s)])
	}
	return out
}

func stem(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// complaints are what an operator finds wrong with a call.
func complaints(spec *ops.Spec, call *ops.Call) []problem.Problem {
	if spec.Bind == nil {
		return nil
	}
	_, err := spec.Bind(call)
	var out []problem.Problem
	for _, e := range problem.Each(err) {
		var p problem.Problem
		if errors.As(e, &p) {
			out = append(out, p)
		}
	}
	return out
}
