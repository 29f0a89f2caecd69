package sass

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Instruction is one of a kernel's.
type Instruction struct {
	Name string // with what is said behind points: LDG.E.128.CONSTANT
	Jump int    // the instruction that it may go on with, by number; -1: the next one
	May  bool   // a predicate decides whether it is executed

	Guard    string   // the predicate: P0, !UP1; empty: there is none
	Operands []string // as written
}

// Is reports an instruction of this name, whatever is said behind points.
func (i Instruction) Is(names ...string) bool {
	base, _, _ := strings.Cut(i.Name, ".")
	return slices.Contains(names, base)
}

// Bytes are what each thread loads or stores by it.
func (i Instruction) Bytes() int {
	for _, part := range strings.Split(i.Name, ".") {
		switch part {
		case "128":
			return 16
		case "64":
			return 8
		case "U16", "S16":
			return 2
		case "U8", "S8":
			return 1
		}
	}
	return 4
}

// Kernel is a function of machine code.
type Kernel struct {
	Name string
	Code []Instruction
}

var patterns = sync.OnceValue(func() (p struct{ section, label, line, jumpedTo *regexp.Regexp }) {
	p.section = regexp.MustCompile(`^\s*\.section\s+\.text\.([^,\s]+)`)
	p.label = regexp.MustCompile(`^\s*(\.L\w+):`)
	p.line = regexp.MustCompile(`^\s*/\*[0-9a-f]{4,}\*/\s+(?:(@!?\w+)\s+)?([A-Z][\w.]*)([^;]*);`)
	p.jumpedTo = regexp.MustCompile("`\\((\\.L\\w+)\\)")
	return p
})

// Read returns the kernels of a disassembly, without what only fills space.
func Read(text string) (kernels []Kernel) {
	p := patterns()
	type jump struct {
		at int
		to string
	}
	var jumps []jump
	places := map[string]int{}
	var k *Kernel
	finish := func() {
		for _, j := range jumps {
			if at, ok := places[j.to]; ok {
				k.Code[j.at].Jump = at
			}
		}
		jumps, places = nil, map[string]int{}
	}
	for l := range strings.Lines(text) {
		if m := p.section.FindStringSubmatch(l); m != nil {
			if k != nil {
				finish()
			}
			kernels = append(kernels, Kernel{Name: m[1]})
			k = &kernels[len(kernels)-1]
			continue
		}
		if k == nil {
			continue
		}
		if m := p.label.FindStringSubmatch(l); m != nil {
			places[m[1]] = len(k.Code)
			continue
		}
		m := p.line.FindStringSubmatch(l)
		if m == nil || m[2] == "NOP" {
			continue
		}
		i := Instruction{Name: m[2], Jump: -1, May: m[1] != "", Guard: strings.TrimPrefix(m[1], "@")}
		for part := range strings.SplitSeq(m[3], ",") {
			if part = strings.TrimSpace(part); part != "" {
				i.Operands = append(i.Operands, part)
			}
		}
		if to := p.jumpedTo.FindStringSubmatch(m[3]); to != nil && i.Is("BRA", "BRX", "JMP") {
			jumps = append(jumps, jump{len(k.Code), to[1]})
			i.May = i.May || conditional(m[3])
		}
		k.Code = append(k.Code, i)
	}
	if k != nil {
		finish()
	}
	return kernels
}

// conditional reports a jump with a condition of its own, besides a predicate: BRA.DIV UR4, `(.L_x_1), or BRA P0, `(.L_x_1).
func conditional(operands string) bool {
	first, _, several := strings.Cut(strings.TrimSpace(operands), ",")
	return several && !strings.HasPrefix(first, "`") && strconv.Quote(first) != `""`
}
