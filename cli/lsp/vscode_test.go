package lsp

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"weft/lang/check"
	"weft/lang/diag"
	"weft/lang/syntax"
)

// scopes are what the grammar of the editor calls kinds of tokens.
var scopes = map[syntax.Kind]string{
	syntax.Comment: "comment.", syntax.Keyword: "keyword.control.", syntax.Numeral: "constant.numeric.", syntax.Text: "string.",
	syntax.UnitWord: "keyword.other.unit.", syntax.UnitJoin: "keyword.other.unit.", syntax.UnitPower: "keyword.other.unit.",
}

// The grammar by which Visual Studio Code colours files finds the tokens that weft finds. WEFT_VSCODE is a copy of editors/vscode with
// its packages, which .ci/run installs.
func TestVSCodeColours(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("WEFT_VSCODE")
	if folder == "" {
		t.Skip("WEFT_VSCODE names no folder of the extension with its packages")
	}
	odd := filepath.Join(t.TempDir(), "odd.weft")
	text := "a = 5 m / s\nb = 9.81 m/s^2 * t\nc = [0 mm .. 3 mm by 0.5 mm]\nd = 0.3mm + 5 kg*m^-3\ne = 1..3\nf = 2 in_x\ng = \"# not \\\" a comment\" # but this\nh = x[y: 3 in 2]\nparam q in mm >= 0 = 3 mm\ni = 5 m/s(x)\nj = 1_000 % 3\nk = if 1 then 2 else 3 s\n"
	if err := os.WriteFile(odd, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	files := []string{odd}
	for _, pattern := range []string{"../../pipelines/*/*.weft", "../../lang/library/*.weft"} {
		more, err := filepath.Glob(pattern)
		if err != nil || len(more) < 5 {
			t.Fatal(pattern, err)
		}
		files = append(files, more...)
	}
	printed, err := exec.Command("node", append([]string{filepath.Join(folder, "tokens.js"), "../../editors/vscode/syntaxes/weft.tmLanguage.json"}, files...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var found map[string][][4]any
	if err := json.Unmarshal(printed, &found); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(source), "\n")
		want := make([][]string, len(lines)) // of each byte, but blanks
		for i, line := range lines {
			want[i] = make([]string, len(line)+1)
		}
		for _, tok := range syntax.Scan(diag.NewSource(file, string(source)), check.Units(), new(diag.List)) {
			line := strings.Count(string(source[:tok.Start]), "\n")
			column := tok.Start - strings.LastIndex(string(source[:tok.Start]), "\n") - 1
			for i := range len(tok.Text) {
				if tok.Kind != syntax.Newline {
					want[line][column+i] = scopes[tok.Kind]
				}
			}
		}
		mistakes := 0
		for _, f := range found[file] {
			line, from, to, scope := int(f[0].(float64)), int(f[1].(float64)), int(f[2].(float64)), f[3].(string)
			if len(lines[line]) != len([]rune(lines[line])) {
				continue // counted in other units; the language has them in comments alone
			}
			for i := from; i < min(to, len(lines[line])); i++ {
				w := want[line][i]
				if c := lines[line][i]; c == ' ' || c == '\t' || w != "" && strings.HasPrefix(scope, w) || w == "" && !named(scope) {
					continue
				}
				if mistakes++; mistakes < 6 {
					t.Errorf("%s:%d:%d: %s is %q, and %q by the grammar", file, line+1, i+1, lines[line][i:to], w, scope)
				}
				break
			}
		}
	}
}

// named reports whether a scope is that of a kind of tokens.
func named(scope string) bool {
	for _, s := range scopes {
		if strings.HasPrefix(scope, s) {
			return true
		}
	}
	return false
}
