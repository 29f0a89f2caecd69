// Package cli is the command line of weft: flags in, calls to the packages below, text out. Each subcommand has a file of
// its own.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
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
	Run         runCommand         `cmd:"" group:"run" help:"Run a pipeline."`
	Repl        replCommand        `cmd:"" group:"run" help:"Try things at a prompt; weft alone on a terminal does, too."`
	Literate    literateCommand    `cmd:"" group:"run" help:"Run the weft blocks of Markdown files, and write below each what it shows."`
	Serve       serveCommand       `cmd:"" group:"run" help:"Run programs for another process, such as Python: JSON-RPC over standard input and output."`
	Stream      streamCommand      `cmd:"" group:"run" help:"Run a pipeline for each frame of a stream, from a file or a socket."`
	Plan        planCommand        `cmd:"" group:"run" help:"Write the plan of a pipeline, which weft run takes in its place."`
	New         newCommand         `cmd:"" group:"write" help:"Write a pipeline that reads a file and begins with it."`
	Inspect     inspectCommand     `cmd:"" group:"write" help:"Say which arrays files hold, and how they are read."`
	Check       checkCommand       `cmd:"" group:"write" help:"Report every mistake in pipeline files."`
	Fmt         fmtCommand         `cmd:"" group:"write" help:"Format pipeline files."`
	Lsp         lspCommand         `cmd:"" group:"write" help:"Serve an editor: the Language Server Protocol over standard input and output."`
	Explain     explainCommand     `cmd:"" group:"trust" help:"Say what would run: kernels, fusions, tiles, and why."`
	Verify      verifyCommand      `cmd:"" group:"trust" help:"Compare every device and schedule with float64 and with each other."`
	Provenance  provenanceCommand  `cmd:"" group:"trust" help:"Say what a file that weft wrote was made from."`
	Ops         opsCommand         `cmd:"" group:"look" help:"List the operators, or document one."`
	Doc         docCommand         `cmd:"" group:"look" help:"Find something in the documentation, or serve it to a browser."`
	Errors      errorsCommand      `cmd:"" group:"look" help:"List the error codes, or explain one."`
	Devices     devicesCommand     `cmd:"" group:"look" help:"List the devices and how fast they are."`
	Completion  completionCommand  `cmd:"" group:"look" help:"Print the script by which a shell completes weft's commands."`
	Version     versionCommand     `cmd:"" group:"look" help:"Print the version."`
	Complete    completeCommand    `cmd:"" hidden:"" others:"" help:"List what the last of some words may become, for shells."`
	Predictions predictionsCommand `cmd:"" hidden:"" help:"Write a page that compares predicted and measured times."`
	GPUReport   gpuReportCommand   `cmd:"" hidden:"" name:"gpu-report" help:"Measure a GPU, or an emulated one, as docs/gpu.md has it."`
	Docs        docsCommand        `cmd:"" hidden:"" help:"Write the pages of documentation that come from the code."`
}

// tasks are the headings of commands in the help.
var tasks = []kong.Group{
	{Key: "run", Title: "Run pipelines:"}, {Key: "write", Title: "Write them:"}, {Key: "trust", Title: "Understand and trust results:"}, {Key: "look", Title: "Look things up:"},
}

// streams are what a command talks to.
type streams struct {
	in       io.Reader
	out, err io.Writer
	heap     *heap
}

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
	h := newHeap()
	defer h.end()
	if f, ok := in.(*os.File); ok && len(args) == 0 && onTerminal(f) {
		args = []string{"repl"}
	}
	if len(args) > 0 && args[0] == "help" { // as of other tools
		args = append(args[1:len(args):len(args)], "--help")
	}
	parser, err := kong.New(grammar(args), kong.Name("weft"), kong.Writers(out, errOut), kong.Exit(func(code int) { exit = code }),
		kong.Description("A language and an engine for scientific array pipelines."),
		kong.ExplicitGroups(tasks),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Vars{"passes": strings.Join(planner.Passes(), ", ")},
		kong.Bind(&streams{in, out, errOut, h}), kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		panic(err) // the grammar above is wrong
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

// grammar is that of the command which the arguments begin with, or of all: making it is a fifth of what a check takes, and only commands
// with the tag others look at the others.
func grammar(args []string) any {
	all := reflect.TypeFor[commands]()
	for i := range all.NumField() {
		f := all.Field(i)
		_, others := f.Tag.Lookup("others")
		if name := cmp.Or(f.Tag.Get("name"), strings.ToLower(f.Name)); len(args) > 0 && args[0] == name && !others {
			return reflect.New(reflect.StructOf([]reflect.StructField{f})).Interface()
		}
	}
	return new(commands)
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
