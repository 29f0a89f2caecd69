package c

import (
	"embed"
	"fmt"
	"strings"
	"sync"

	"weft/kernels/schedule"
)

//go:embed prelude/*.h
var preludeFiles embed.FS

// preludeParts are the files of a prelude in order; the one without a name is the target's own.
var preludeParts = []string{"types", "", "common", "storage", "window64", "reduce", "math"}

// Prelude is the C text that rendered functions of a target rely on. It is asked for with each of them, and is made once.
func Prelude(t schedule.Target) string {
	text, ok := preludes.Load(t)
	if !ok {
		text, _ = preludes.LoadOrStore(t, preludeOf(t))
	}
	return text.(string)
}

var preludes sync.Map // by their targets

func preludeOf(t schedule.Target) string {
	var out strings.Builder
	fmt.Fprintf(&out, "#define VB %d\n", 4*t.Lanes)
	for _, name := range preludeParts {
		if name == "" {
			name = t.ISA
		}
		text, err := preludeFiles.ReadFile("prelude/" + name + ".h")
		if err != nil {
			panic("c: " + err.Error()) // a part that is not embedded
		}
		out.Write(text)
	}
	return out.String()
}
