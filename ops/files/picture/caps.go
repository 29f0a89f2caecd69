package picture

import (
	"os"
	"strings"

	"golang.org/x/term"
)

// Depth is how many colours a terminal shows.
type Depth uint8

// The colours of terminals.
const (
	NoColour   Depth = iota // characters only
	Indexed                 // the 256 colours of xterm
	TrueColour              // 24 bits
)

// Protocol is a way to show dots in a terminal.
type Protocol uint8

// The picture protocols of terminals.
const (
	NoProtocol Protocol = iota
	Kitty
	ITerm
	Sixel
)

// Caps is what a terminal can show. The zero Caps is a file or a pipe: plain characters.
type Caps struct {
	Depth    Depth
	Protocol Protocol
}

// announcements are the variables by which terminals say what they are. The first that matches counts.
var announcements = []struct {
	variable, value string // a value of "" matches any but an empty one
	caps            Caps
}{
	{"KITTY_WINDOW_ID", "", Caps{TrueColour, Kitty}},
	{"TERM", "xterm-kitty", Caps{TrueColour, Kitty}},
	{"TERM", "xterm-ghostty", Caps{TrueColour, Kitty}},
	{"TERM_PROGRAM", "WezTerm", Caps{TrueColour, ITerm}},
	{"TERM_PROGRAM", "iTerm.app", Caps{TrueColour, ITerm}},
	{"LC_TERMINAL", "iTerm2", Caps{TrueColour, ITerm}},
	{"TERM", "mintty", Caps{TrueColour, ITerm}},
	{"COLORTERM", "truecolor", Caps{TrueColour, NoProtocol}},
	{"COLORTERM", "24bit", Caps{TrueColour, NoProtocol}},
	{"TERM", "", Caps{Indexed, NoProtocol}},
}

// CapsOf asks a terminal what it can show, where it can say more than whether it is rich.
func CapsOf(t interface{ Rich() bool }) Caps {
	if d, ok := t.(interface{ Caps() Caps }); ok {
		return d.Caps()
	}
	if t.Rich() {
		return Caps{Depth: Indexed}
	}
	return Caps{}
}

// Detect finds out what out can show, from the environment and, where that names no protocol, by asking the terminal
// on standard input whether it has Sixel. With NO_COLOR set (no-color.org), TERM=dumb, or out not a terminal, plain
// characters are drawn.
func Detect(out *os.File) Caps {
	if !term.IsTerminal(int(out.Fd())) {
		return Caps{}
	}
	return detect(os.Getenv, func() bool {
		return term.IsTerminal(int(os.Stdin.Fd())) && foreground(os.Stdin) && asksForSixel(os.Stdin, out)
	})
}

func detect(getenv func(string) string, hasSixel func() bool) Caps {
	kind := getenv("TERM")
	if getenv("NO_COLOR") != "" || kind == "dumb" || kind == "" {
		return Caps{}
	}
	// Multiplexers hand on neither pictures nor, often, who the terminal is.
	multiplexed := getenv("TMUX") != "" || strings.HasPrefix(kind, "screen") || strings.HasPrefix(kind, "tmux")
	var caps Caps
	for _, a := range announcements {
		if v := getenv(a.variable); v != "" && (a.value == "" || v == a.value) {
			caps = a.caps
			break
		}
	}
	switch {
	case multiplexed:
		caps.Protocol = NoProtocol
	case caps.Protocol == NoProtocol && hasSixel():
		caps.Protocol = Sixel
	}
	return caps
}
