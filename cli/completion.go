package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"weft/lang/diag"
	"weft/lang/library"
	"weft/ops/catalogue"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// scripts ask `weft complete` for what the words of a line may go on with; where it knows nothing, shells offer files.
var scripts = map[string]string{
	"bash": `# eval "$(weft completion bash)", for example in ~/.bashrc
_weft() {
    local IFS=$'\n'
    COMPREPLY=($(weft complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _weft weft
`,
	"zsh": `# eval "$(weft completion zsh)", behind compinit in ~/.zshrc
_weft() {
    local -a offers
    offers=(${(f)"$(weft complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( ${#offers} )); then compadd -a offers; else _files; fi
}
compdef _weft weft
`,
	"fish": `# weft completion fish > ~/.config/fish/completions/weft.fish
complete -c weft -a '(weft complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
}

// Run prints a script for a shell.
func (c completionCommand) Run(s *streams) error {
	_, err := fmt.Fprint(s.out, scripts[c.Shell])
	return err
}

type completeCommand struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

// Run prints what the last of the words behind `weft` may become, a line each.
func (c completeCommand) Run(s *streams, k *kong.Context) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	for _, offer := range offers(k.Model.Node, words[:len(words)-1], words[len(words)-1]) {
		if _, err := fmt.Fprintln(s.out, offer); err != nil {
			return err
		}
	}
	return nil
}

// argumentsOf are the words that an argument of a command may be; others are files.
var argumentsOf = map[string]func() []string{
	"ops": func() []string {
		functions, _ := library.Functions()
		return slices.Concat(catalogue.Standard().Names(), functions)
	},
	"errors": func() (codes []string) {
		for _, c := range diag.Codes() {
			codes = append(codes, c.Code)
		}
		return codes
	},
	"completion": func() []string { return []string{"bash", "zsh", "fish"} },
}

// offers are what a word may become behind others.
func offers(grammar *kong.Node, before []string, word string) (out []string) {
	visible := func(n *kong.Node) (names []string) {
		for _, child := range n.Children {
			if !child.Hidden {
				names = append(names, child.Name)
			}
		}
		return names
	}
	node := grammar
	for _, w := range before {
		if i := slices.IndexFunc(grammar.Children, func(n *kong.Node) bool { return n.Name == w }); node == grammar && i >= 0 {
			node = grammar.Children[i]
		}
	}
	last := ""
	if len(before) > 0 {
		last = before[len(before)-1]
	}
	var all []string
	for _, flag := range node.Flags {
		if last == "--"+flag.Name && flag.Enum != "" {
			return beginning(flag.EnumSlice(), word)
		}
		if !flag.Hidden {
			all = append(all, "--"+flag.Name)
		}
	}
	switch {
	case strings.HasPrefix(word, "-"):
	case node == grammar:
		all = append(visible(grammar), "--help")
	case argumentsOf[node.Name] != nil:
		all = argumentsOf[node.Name]()
	default:
		return nil
	}
	return beginning(all, word)
}

// beginning are the words that begin with another.
func beginning(words []string, with string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !strings.HasPrefix(w, with) })
}
