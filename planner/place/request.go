package place

import (
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"weft/ops/amount"
	"weft/ops/problem"
	"weft/planner/bound"
)

// request is what was asked of a kernel's place.
type request struct {
	by      string // who asks, in the words of the text or the command line; empty: nobody
	host    bool
	devices []int // those allowed; nil: all
	exact   bool  // all of them, and no others
	kept    bool  // nobody asks: it was so before
	at      problem.Where
}

// requests are what the run or the stages ask for, by kernel step.
func (s *site) requests(opt Placing) (map[*bound.Step]request, error) {
	if opt.Decided != nil {
		return s.again(opt.Decided.Places)
	}
	out, run := map[*bound.Step]request{}, opt.Device
	var all request
	if run != "" {
		var err error
		if all, err = s.request(run, "--device "+run); err != nil {
			return nil, err
		}
	}
	var faults []error
	for i := range s.plan.Steps {
		step := &s.plan.Steps[i]
		if step.Kernel == nil {
			continue
		}
		if out[step] = all; run != "" {
			continue
		}
		w, err := s.asked(step)
		if err != nil {
			faults = append(faults, err)
		}
		out[step] = w
	}
	return out, errors.Join(unique(faults)...)
}

// again are the places of an earlier planning.
func (s *site) again(places map[string][]string) (map[*bound.Step]request, error) {
	out := map[*bound.Step]request{}
	for i := range s.plan.Steps {
		step := &s.plan.Steps[i]
		names := places[step.ID]
		if step.Kernel == nil {
			continue
		}
		if len(names) == 0 {
			out[step] = request{host: true, kept: true}
			continue
		}
		w, err := s.request(strings.Join(names, ","), "the plan that is made again has "+step.ID+" on "+strings.Join(names, ", "))
		var p problem.Problem
		if errors.As(err, &p) {
			p.Help = "give the devices of the first run with --devices, or begin afresh, without --resume"
			return nil, p
		}
		w.kept = true
		out[step] = w
	}
	return out, nil
}

// asked is what the stages of a kernel ask for; fusion keeps those apart that disagree.
func (s *site) asked(step *bound.Step) (request, error) {
	for _, stage := range step.Kernel.Inside {
		hints := stage.Hints()
		if hints.Device == "" {
			continue
		}
		by := "@device(" + hints.Device + ")"
		if !token.IsIdentifier(hints.Device) {
			by = fmt.Sprintf("@device(%q)", hints.Device)
		}
		w, err := s.request(hints.Device, by)
		w.at = hints.At["device"]
		return w, placed(err, w.at)
	}
	return request{}, nil
}

// placed says where a problem is.
func placed(err error, at problem.Where) error {
	var p problem.Problem
	if errors.As(err, &p) {
		p.At = at
		return p
	}
	return err
}

// unique keeps one of the problems at a place: an operator may be several kernels.
func unique(errs []error) (out []error) {
	seen := map[problem.Where]bool{}
	for _, e := range errs {
		var p problem.Problem
		if errors.As(e, &p) && seen[p.At] {
			continue
		}
		seen[p.At] = true
		out = append(out, e)
	}
	return out
}

// reason is who decided, if the predictions did not.
func (w request) reason() string {
	switch {
	case w.kept:
		return "as in the plan that is made again"
	case w.by != "":
		return "asked for with " + w.by
	}
	return ""
}

// request reads a place: cpu, gpu, a device, or devices that share a name or a kind.
func (s *site) request(text, by string) (request, error) {
	w := request{by: by}
	if text == "cpu" {
		w.host = true
		return w, nil
	}
	if text == "gpu" {
		for i := range s.devices {
			w.devices = append(w.devices, i)
		}
		if len(w.devices) == 0 {
			return w, problem.Wrong(problem.NoSuchDevice, "", "leave it out, or describe devices with --devices; `weft devices` says why there is none",
				"%s: there is no GPU", by)
		}
		return w, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		found := s.called(name)
		switch {
		case name == "":
			return w, problem.Wrong(problem.NoSuchDevice, "", s.help(), "%s: a name is missing", by)
		case name == "cpu" || name == "gpu":
			return w, problem.Wrong(problem.NoSuchDevice, "", "a kernel runs on the CPU, or on devices that are named one by one",
				"%s: %s stands alone", by, name)
		case len(found) == 0:
			return w, problem.Wrong(problem.NoSuchDevice, "", s.help(), "%s: there is no device %s", by, name)
		}
		for _, d := range found {
			if !slices.Contains(w.devices, d) {
				w.devices = append(w.devices, d)
			}
		}
	}
	w.exact = true
	return w, nil
}

// called are the devices of a name, such as fast:0, of the name without its number, or of a kind.
func (s *site) called(name string) (out []int) {
	for i, d := range s.devices {
		family, _, _ := strings.Cut(d.Info.Name, ":")
		if d.Info.Name == name || family == name || d.Info.Kind == name {
			out = append(out, i)
		}
	}
	return out
}

// help lists what can be asked for.
func (s *site) help() string {
	if len(s.devices) == 0 {
		return "there is cpu alone; describe others with --devices, and see `weft devices`"
	}
	names := []string{"cpu", "gpu"}
	for _, d := range s.devices {
		names = append(names, d.Info.Name)
	}
	return "there are " + strings.Join(names, ", ")
}

// refusals are the stages that were put where there is no room for them. A whole run that was put there keeps such kernels on
// the host, and says so.
func (s *site) refusals() (out []error) {
	for _, t := range s.tasks {
		w := &t.request
		if w.devices == nil {
			continue
		}
		able := s.able(t, w.devices)
		switch {
		case w.exact && len(able) == len(w.devices), !w.exact && len(able) > 0:
			continue
		case w.at == (problem.Where{}) && len(able) > 0:
			w.devices = able
			continue
		case w.at == (problem.Where{}):
			t.lacks = s.noRoom(t, w.devices)
			*w = request{host: true}
			continue
		}
		p := problem.Wrong(problem.CannotHonour, "", "leave it out, or make the stage smaller",
			"%s cannot be honoured: %s", w.by, s.noRoom(t, w.devices))
		p.At = w.at
		out = append(out, p)
	}
	return unique(out)
}

// noRoom says how far the memory of some devices falls short.
func (s *site) noRoom(t *task, devices []int) string {
	if t.comes != "" {
		return "it runs in " + t.comes + ", which only the host does"
	}
	largest := devices[0]
	for _, d := range devices {
		if s.devices[d].Info.Limits.Memory > s.devices[largest].Info.Limits.Memory {
			largest = d
		}
	}
	what := "one row of it takes"
	if t.whole {
		what = "it takes"
	}
	return fmt.Sprintf("%s %s with what it reads, and %s has %s", what, amount.Bytes(t.least), s.devices[largest].Info.Name,
		amount.Bytes(s.devices[largest].Info.Limits.Memory))
}
