package docstest

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"weft/cli"
	"weft/kernels/cache/cachetest"
)

// given is what a page takes as there: lines before each of its programs, which are not printed on it.
var given = map[string]string{
	"README.md":         "image = axis(x, 0 .. 7 in 8) * axis(y, 0 .. 5 in 6)\nu0 = axis(x, 0 .. 7 in 8)\n",
	"docs/measuring.md": "",
	"docs/precision.md": "a = axis(x, 1 .. 7 in 8)\nfn f(x) = sqrt(x)\n",
	"docs/gpu.md":       "",
}

// made writes the files that programs read.
const made = `probe = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm)
simulate.echoes(probe, [point(z: 20 mm)], fc: 3 MHz, fs: 12 MHz, samples: 32) | write("iq.npy")
city = simulate.city(y: 32, x: 32, seed: 1)
city.dsm | write("input_dsm.npy")
`

// shown is what programs end with that only define something.
const shown = "\nshow(calm)\nshow(late)\n"

// Programs, sessions and configurations on pages that are not literate hold what the program accepts and says.
func TestBlocks(t *testing.T) {
	cachetest.Use(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for page, before := range given {
		t.Run(strings.ReplaceAll(page, "/", "_"), func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, page))
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			accepts(t, "made.weft", made, "run", "made.weft")
			n := 0
			for _, b := range regexp.MustCompile("(?ms)^```(weft|console|yaml)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
				n++
				switch kind, code := b[1], b[2]; kind {
				case "weft":
					if strings.Contains(code, "calm") {
						code += shown
					}
					accepts(t, "block.weft", before+code, "check", "block.weft")
				case "yaml":
					accepts(t, "devices.yaml", code, "devices", "--devices", "devices.yaml")
				case "console":
					typedSession(t, code)
				}
			}
			if n == 0 {
				t.Error("no block is found")
			}
		})
	}
}

func accepts(t *testing.T, name, text string, args ...string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if exit := cli.Run(t.Context(), args, nil, &out, &out); exit != 0 {
		t.Errorf("exit %d of\n%s\n%s", exit, text, out.String())
	}
}

// typedSession types what stands behind prompts and compares what comes with the lines between them.
func typedSession(t *testing.T, code string) {
	t.Helper()
	var typed, want strings.Builder
	for line := range strings.Lines(code) {
		if input, ok := strings.CutPrefix(line, "weft> "); ok {
			typed.WriteString(input)
		} else {
			want.WriteString(line)
		}
	}
	var out, errs bytes.Buffer
	if exit := cli.Run(t.Context(), []string{"repl"}, strings.NewReader(typed.String()), &out, &errs); exit != 0 || out.String() != want.String() {
		t.Errorf("exit %d, got\n%s%swant\n%s", exit, out.String(), errs.String(), want.String())
	}
}

// The explain output of the README names lines of the pipeline as they are.
func TestReadmeExplains(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	const file = "pipelines/beamform/volume.weft"
	source, err := os.ReadFile("../../" + file)
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(string(readme), "```text\n"+file+": ")
	block, _, _ = strings.Cut(block, "```")
	rows := regexp.MustCompile(`(?m)^ *<? *\d+ % +\S+ \S+ +(\d+)  (.+?)(…| {2,})`).FindAllStringSubmatch(block, -1)
	if !ok || len(rows) < 4 {
		t.Fatalf("the README shows %d lines of %s", len(rows), file)
	}
	lines := strings.Split(string(source), "\n")
	for _, row := range rows {
		at := 0
		for _, digit := range row[1] {
			at = 10*at + int(digit-'0')
		}
		if at > len(lines) || !strings.HasPrefix(lines[at-1], row[2]) {
			t.Errorf("line %s is not %s", row[1], row[2])
		}
	}
}
