package emulated

import (
	_ "embed" // the shim
	"fmt"
	"strings"

	"weft/kernels/codegen/cuda"
	"weft/kernels/cuda/launch"
)

//go:embed shim.h
var shim string

// Text is C text for rendered CUDA: shim, prelude, kernels, and for each a function named by runnerOf that runs its grid. It
// takes a weft_launch, see shim.h, and returns 0, or why it stopped.
func Text(codes []*launch.Code) string {
	var text strings.Builder
	text.WriteString(shim)
	text.WriteString(cuda.Prelude())
	for _, c := range codes {
		text.WriteString(c.Out.Source)
		entry(&text, c.Out)
	}
	return text.String()
}

// runnerOf is the symbol of a kernel's runner.
func runnerOf(o cuda.Output) string { return o.Name + "_run" }

func entry(text *strings.Builder, o cuda.Output) {
	args := make([]string, len(o.ParamTypes()))
	for i, t := range o.ParamTypes() {
		args[i] = fmt.Sprintf("*(%s *)&p[%d]", t, i)
	}
	call := fmt.Sprintf("%s(%s)", o.Name, strings.Join(args, ", "))
	if o.Barriers {
		fmt.Fprintf(text, "static void %s_entry(void **p) { %s; }\n", o.Name, call)
		fmt.Fprintf(text, "int %s(const weft_launch *l) { return weft_run_together(l, %s_entry); }\n", runnerOf(o), o.Name)
		return
	}
	fmt.Fprintf(text, "int %s(const weft_launch *l) {\nvoid **p = l->params;\nweft_dims(l);\nWEFT_BLOCKS(l) WEFT_ALONE(l) %s;\nreturn 0;\n}\n", runnerOf(o), call)
}
