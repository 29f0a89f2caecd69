package native

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"weft/kernels/codegen/c"
	"weft/kernels/schedule"
)

// level is an instruction set with the macros a compiler defines when it generates code for it.
type level struct {
	target schedule.Target
	macros []string
}

// levels lists the instruction sets, best first.
var levels = []level{
	{schedule.AVX512, []string{"__AVX512F__", "__AVX512DQ__", "__AVX512BW__", "__AVX512VL__", "__AVX512CD__", "__AVX2__", "__FMA__", "__F16C__"}},
	{schedule.AVX2, []string{"__AVX2__", "__FMA__", "__F16C__", "__BMI2__"}},
	{schedule.Portable, nil},
}

// lack are the level's macros that are not defined.
func (l level) lack(macros map[string]string) []string {
	return slices.DeleteFunc(slices.Clone(l.macros), func(m string) bool { _, ok := macros[m]; return ok })
}

// chooseTarget returns the best target that macros (of -march=native) allow, or the one named isa if they allow it, and
// the flags that select it. The best one is selected by the processor's own name, which brings its scheduling model.
func chooseTarget(isa string, macros map[string]string) (schedule.Target, []string, error) {
	best := levels[slices.IndexFunc(levels, func(l level) bool { return len(l.lack(macros)) == 0 })]
	if isa == "" {
		isa = best.target.ISA
	}
	i := slices.IndexFunc(levels, func(l level) bool { return l.target.ISA == isa })
	if i < 0 {
		names := make([]string, len(levels))
		for i, l := range levels {
			names[i] = l.target.ISA
		}
		return schedule.Target{}, nil, fmt.Errorf("native: no instruction set is called %q: WEFT_ISA is one of %s", isa, strings.Join(names, ", "))
	}
	t := levels[i].target
	if lack := levels[i].lack(macros); len(lack) > 0 {
		return t, nil, fmt.Errorf("native: compiler and processor have no %s here (%s missing): unset WEFT_ISA or set it to %s",
			isa, strings.Join(lack, ", "), best.target.ISA)
	}
	if t == best.target && len(levels[i].macros) > 0 {
		return t, []string{"-march=native"}, nil
	}
	return t, c.March(t), nil
}

// fastGather has gathers use the processor's instruction for them.
const fastGather = "-DFAST_GATHER"

// gathers reports whether a processor gathers faster by its instruction than lane by lane: those of Intel do where no leak had to be closed
// in it. A product with a sparse matrix then takes 0.39 of the time.
var gathers = sync.OnceValue(func() bool {
	leaks, err := os.ReadFile("/sys/devices/system/cpu/vulnerabilities/gather_data_sampling")
	return err == nil && strings.TrimSpace(string(leaks)) == "Not affected" && strings.Contains(processor(), "GenuineIntel")
})

// Available lists the instruction sets that compiler and processor share, best first; none without a compiler.
func Available(c Config) (names []string) {
	for _, l := range levels {
		c.ISA = l.target.ISA
		if _, err := New(c); err == nil {
			names = append(names, l.target.ISA)
		}
	}
	return names
}
