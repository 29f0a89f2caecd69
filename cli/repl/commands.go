package repl

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"weft/kernels/device"
	"weft/lang/diag"
	"weft/ops"
	"weft/ops/files/picture"
	"weft/planner/bound"
	"weft/runtime"
	"weft/runtime/notebook"
	"weft/runtime/report"
	"weft/runtime/result"
	"weft/runtime/session"
	"weft/runtime/trace"
)

// commands are what an input that begins with a colon may be.
var commands = []struct {
	name, takes, doc string
	do               func(c *Console, rest string) error
}{
	{"type", "VALUE", "what a value is, without computing it", (*Console).typeOf},
	{"explain", "[VALUE]", "the plan of what would run", (*Console).explain},
	{"analyze", "[VALUE]", "run, and show what it took beside what was predicted", (*Console).analyze},
	{"why", "NAME [NAME]", "why something of the last plan is as it is", (*Console).why},
	{"time", "VALUE", "run, and sum up what it took", (*Console).time},
	{"hist", "VALUE", "how its numbers are spread, in 20 bins", (*Console).hist},
	{"plot", "VALUE [FILE]", "draw lines to a .png or .svg file (plot.png), and here where pictures are shown", (*Console).plot},
	{"lines", "", "what is defined", (*Console).list},
	{"forget", "NAME", "take a definition away", (*Console).forget},
	{"set", "NAME = VALUE", "give a param another value", (*Console).set},
	{"ops", "", "list operators and functions", func(c *Console, _ string) error { return c.Doc("") }},
	{"doc", "NAME", "document an operator, a function or a library", func(c *Console, name string) error { return c.Doc(name) }},
	{"devices", "", "list the devices", func(c *Console, _ string) error { return c.Devices() }},
	{"load", "FILE", "enter a pipeline file", (*Console).Load},
	{"save", "FILE", "write all that was entered as a pipeline file", (*Console).save},
	{"reset", "", "forget everything", func(c *Console, _ string) error { c.Notebook.Reset(); return nil }},
	{"quit", "", "end; Ctrl-D does, too", func(*Console, string) error { return errQuit }},
}

// command does what an input that begins with a colon says. A beginning of its name that no other has is enough.
func (c *Console) command(text string) error {
	name, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	if name == "help" || name == "h" || name == "?" || name == "" {
		return c.help()
	}
	var names []string
	for i := range commands {
		names = append(names, commands[i].name)
	}
	at := slices.Index(names, name)
	if meant := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.HasPrefix(n, name) }); at < 0 && len(meant) == 1 {
		at = slices.Index(names, meant[0])
	} else if at < 0 && len(meant) > 1 {
		return fmt.Errorf(":%s may be :%s", name, strings.Join(meant, " or :"))
	}
	if at < 0 {
		hint := ":help lists what there is"
		if near := diag.Nearest(name, names); len(near) > 0 {
			hint = "did you mean :" + near[0] + "?"
		}
		return fmt.Errorf("no :%s; %s", name, hint)
	}
	k := commands[at]
	if rest == "" && k.takes != "" && k.takes[0] != '[' {
		return fmt.Errorf(":%s %s: %s", k.name, k.takes, k.doc)
	}
	if rest != "" && k.takes == "" {
		return fmt.Errorf(":%s takes nothing", k.name)
	}
	return k.do(c, rest)
}

func (c *Console) help() error {
	fmt.Fprintln(c.Out, "A value is shown; NAME = VALUE defines. An input goes on in the next line while a bracket is open or the line\nends with an operator; from a pipe, also where the next line begins with |: an empty line ends it at once.")
	for _, k := range commands {
		fmt.Fprintf(c.Out, "  %-18s %s\n", strings.TrimSpace(":"+k.name+" "+k.takes), k.doc)
	}
	return nil
}

// asked is an entry that asks for a value, or for the last that was asked for.
func (c *Console) asked(text string) (*notebook.Entry, error) {
	if text == "" {
		text = c.last
	}
	if text == "" {
		return nil, fmt.Errorf("nothing was asked for yet: name a value")
	}
	e := c.Notebook.Check(text)
	if err := e.Err(); err != nil {
		return nil, err
	}
	if !e.Asks() {
		return nil, fmt.Errorf("this asks for nothing; name a value")
	}
	return e, nil
}

func (c *Console) typeOf(text string) error {
	e, err := c.asked(text)
	if err != nil {
		return err
	}
	for _, s := range e.Sinks {
		switch v := s.Call.Args[s.Spec.Params[0].Name].(type) {
		case ops.Array:
			fmt.Fprintln(c.Out, v.Type())
		default:
			fmt.Fprintln(c.Out, v)
		}
	}
	return nil
}

// planned plans what a text asks for from its files, whatever is kept, and does something with the plan.
func (c *Console) planned(text string, then func(context.Context, *notebook.Entry, *bound.Plan) error) error {
	e, err := c.asked(text)
	if err != nil {
		return err
	}
	return c.Interruptible(func(ctx context.Context) error {
		p, err := c.Session.Plan(ctx, e.Program, session.PlanOptions{})
		if err != nil {
			return err
		}
		return then(ctx, e, p)
	})
}

func (c *Console) explain(text string) error {
	return c.planned(text, func(ctx context.Context, _ *notebook.Entry, p *bound.Plan) error {
		if err := c.Session.Compile(ctx, p, device.Options{Describe: true}); err != nil {
			return err
		}
		return report.Write(c.Out, "text", p, report.Options{})
	})
}

func (c *Console) why(text string) error {
	from, to, _ := strings.Cut(text, " ")
	return c.planned("", func(_ context.Context, _ *notebook.Entry, p *bound.Plan) error {
		return report.Why(c.Out, p, c.Notebook.Names(), from, strings.TrimSpace(to))
	})
}

func (c *Console) analyze(text string) error {
	return c.planned(text, func(ctx context.Context, e *notebook.Entry, p *bound.Plan) error {
		opt := runtime.Options{Verify: true, Count: true, Terminal: c.Terminal, Progress: c.Progress, Trace: trace.Record()}
		r, err := c.Session.Run(ctx, e.Program, p, opt)
		if err != nil {
			return err
		}
		return report.Write(c.Out, "text", p, report.Options{Analysis: report.Analyze(p, r, opt.Trace)})
	})
}

func (c *Console) time(text string) error {
	return c.enter(text, runtime.Options{Verify: true}, func(_ *notebook.Entry, r *result.Result) error { return report.Summary(c.Out, r) })
}

// hist shows a histogram between the least and the largest element, which are computed before.
func (c *Console) hist(text string) error {
	e, err := c.asked(text)
	if err != nil {
		return err
	}
	if a, ok := e.Sinks[0].Call.Args[e.Sinks[0].Spec.Params[0].Name].(ops.Array); !ok || len(a.Type().Dims) == 0 || a.Type().Elem.Complex {
		return fmt.Errorf("%s is no array of numbers", text)
	}
	var ends []ops.Number
	for _, end := range []string{"min", "max"} {
		e, err := c.asked(fmt.Sprintf("%s(%s)", end, text))
		if err != nil {
			return err
		}
		see := func(_ *bound.Step, in []ops.HostArray) error {
			if len(in) > 0 && len(in[0].Type.Dims) == 0 {
				ends = append(ends, ops.Number{V: in[0].Float(0), Unit: in[0].Type.Unit})
			}
			return nil
		}
		if err := c.Interruptible(func(ctx context.Context) error {
			p, err := c.Notebook.Plan(ctx, e)
			if err == nil {
				_, err = c.Session.Run(ctx, e.Program, p, runtime.Options{See: see, Progress: c.Progress, Terminal: c.Terminal.To(io.Discard)})
			}
			return err
		}); err != nil {
			return err
		}
	}
	if len(ends) < 2 || !(ends[1].V-ends[0].V > 0) || math.IsInf(ends[0].V, 0) || math.IsInf(ends[1].V, 0) {
		return fmt.Errorf("the elements of %s have no range to divide into bins: they are equal, or some are NaN or infinite", text)
	}
	return c.enter(fmt.Sprintf("histogram(%s, %s .. %s in 21)", text, ends[0], ends[1]), runtime.Options{Verify: true}, nil)
}

// plot draws a value to a file, and shows the file where the terminal can.
func (c *Console) plot(text string) error {
	value, file := text, "plot.png"
	if i := strings.LastIndexAny(text, " \t"); i > 0 && slices.Contains([]string{".png", ".svg"}, filepath.Ext(text[i:])) {
		value, file = text[:i], strings.Trim(text[i+1:], `"`)
	}
	e := c.Notebook.Check(fmt.Sprintf("plot.line(%s, %q)", strings.TrimSpace(value), file))
	if err := c.run(e, runtime.Options{Verify: true}, nil); err != nil {
		return err
	}
	fmt.Fprintln(c.Out, "drew", file)
	if filepath.Ext(file) != ".png" {
		return nil
	}
	return picture.Show(c.Terminal, file)
}

func (c *Console) list(string) error {
	line := 1
	for _, d := range c.Notebook.Definitions() {
		for l := range strings.Lines(d) {
			fmt.Fprintf(c.Out, "%3d  %s\n", line, strings.TrimSuffix(l, "\n"))
			line++
		}
	}
	return nil
}

func (c *Console) forget(name string) error {
	if !c.Notebook.Forget(name) {
		return fmt.Errorf("%s is not defined", name)
	}
	return nil
}

func (c *Console) set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf(":set NAME = VALUE")
	}
	e, err := c.Notebook.Set(strings.TrimSpace(name), strings.TrimSpace(value))
	if err != nil {
		return err
	}
	return c.run(e, runtime.Options{Verify: true}, nil)
}
