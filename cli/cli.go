// Package cli is the command line of weft: flags in, calls to the packages below, text out. Each subcommand has a file of
// its own.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"weft/planner"
)

// Exit codes.
const (
	exitOK        = 0
	exitFailed    = 1
	exitUsage     = 2
	exitCancelled = 130 // as a shell counts a program that Ctrl-C ended
)

// commands is the grammar of the command line.
type commands struct {
	Run         runCommand         `cmd:"" help:"Run a pipeline."`
	Plan        planCommand        `cmd:"" help:"Write the plan of a pipeline, which weft run takes in its place."`
	Explain     explainCommand     `cmd:"" help:"Say what would run: kernels, fusions, tiles, and why."`
	Verify      verifyCommand      `cmd:"" help:"Compare every device and schedule with float64 and with each other."`
	Repl        replCommand        `cmd:"" help:"Try things at a prompt; weft alone on a terminal does, too."`
	Lsp         lspCommand         `cmd:"" help:"Serve an editor: the Language Server Protocol over standard input and output."`
	Devices     devicesCommand     `cmd:"" help:"List the devices and how fast they are."`
	Check       checkCommand       `cmd:"" help:"Report every mistake in pipeline files."`
	Inspect     inspectCommand     `cmd:"" help:"Say which arrays files hold, and how they are read."`
	Ops         opsCommand         `cmd:"" help:"List the operators, or document one."`
	Fmt         fmtCommand         `cmd:"" help:"Format pipeline files."`
	Errors      errorsCommand      `cmd:"" help:"List the error codes, or explain one."`
	Provenance  provenanceCommand  `cmd:"" help:"Say what a file that weft wrote was made from."`
	Version     versionCommand     `cmd:"" help:"Print the version."`
	Predictions predictionsCommand `cmd:"" hidden:"" help:"Write a page that compares predicted and measured times."`
	GPUReport   gpuReportCommand   `cmd:"" hidden:"" name:"gpu-report" help:"Measure a GPU, or an emulated one, as docs/gpu.md has it."`
	Docs        docsCommand        `cmd:"" hidden:"" help:"Write the pages of documentation that come from the code."`
}

// streams are what a command talks to.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// collectAt is by how many percent the heap may grow before it is collected, unless GOGC says: commands are short, and arrays do not lie there.
const collectAt = 400

// Main runs the command line of the process and does not return.
func Main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	os.Exit(untilSignal(func(ctx context.Context) int { return Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr) }))
}

// Run runs one command line and returns its exit code.
func Run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	exit := -1
	var grammar commands
	parser, err := kong.New(&grammar, kong.Name("weft"), kong.Writers(out, errOut), kong.Exit(func(code int) { exit = code }),
		kong.Description("A language and an engine for scientific array pipelines."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Vars{"passes": strings.Join(planner.Passes(), ", ")},
		kong.Bind(&streams{in, out, errOut}), kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		panic(err) // the grammar above is wrong
	}
	if f, ok := in.(*os.File); ok && len(args) == 0 && onTerminal(f) {
		args = []string{"repl"}
	}
	command, err := parser.Parse(args)
	if exit >= 0 { // --help was there, and is answered
		return exit
	}
	if err != nil {
		fmt.Fprintf(errOut, "weft: %s\nTry: weft --help\n", err)
		return exitUsage
	}
	return codeOf(command.Run(), errOut)
}

// codeOf prints an error that nobody printed and gives the exit code for it.
func codeOf(err error, errOut io.Writer) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(errOut, "weft: cancelled")
		return exitCancelled
	}
	_ = complain(errOut, err) // which fails as err does
	return exitFailed
}
