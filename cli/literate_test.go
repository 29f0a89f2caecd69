package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// A Markdown file is written once; a second run runs nothing, one after a change what follows from it.
func TestLiterate(t *testing.T) {
	t.Setenv("WEFT_CACHE", compiled)
	t.Chdir(t.TempDir())
	const before = "# A\n\n```weft\nx = axis(x, 1 .. 3 in 3)\n```\n\ntext\n\n```weft\nx = 2 * x\n```\n\n```weft wrong\ny + 1\n```\n\n```weft\ny = x * axis(y, 1 .. 99 in 99)\ny\n```\n\n```weft alone\n1 + 1\n```\nend\n"
	run := func(text string, args ...string) (string, string, int) {
		if text != "" {
			if err := os.WriteFile("a.md", []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		exit := Run(t.Context(), append([]string{"literate", "a.md"}, args...), nil, &out, &out)
		now, err := os.ReadFile("a.md")
		if err != nil {
			t.Fatal(err)
		}
		return string(now), out.String(), exit
	}
	if _, said, exit := run(before); exit != 1 || !strings.Contains(said, "line 10 of a.md") || !strings.Contains(said, "2 * x") {
		t.Errorf("exit %d: %s", exit, said) // x cannot be made of itself
	}
	good := strings.Replace(before, "x = 2 * x", "double = 2 * x\ndouble", 1)
	if now, said, exit := run(good, "--check"); exit != 1 || now != good {
		t.Errorf("exit %d: %s", exit, said)
	}
	first, said, exit := run(good)
	if exit != 0 || !strings.Contains(said, "5 blocks, 5 run, written") {
		t.Errorf("exit %d: %s", exit, said)
	}
	for _, want := range []string{"1  2  3\n     2  4  6\n```", "nothing is named `y`", "![a-4-1](img/a-4-1.png \"", "\n2\n```\nend"} {
		if !strings.Contains(first, want) {
			t.Errorf("no %q in\n%s", want, first)
		}
	}
	if _, err := os.Stat("img/a-4-1.png"); err != nil {
		t.Error(err)
	}
	// The first block defines and shows nothing, so that nothing tells whether it was run.
	if now, said, exit := run(""); exit != 0 || now != first || !strings.Contains(said, "5 blocks, 1 run, as they say") {
		t.Errorf("exit %d: %s", exit, said)
	}
	changed := strings.Replace(first, "y = x * axis(y, 1", "y = x * axis(y, 2", 1)
	if now, said, exit := run(changed); exit != 0 || now == changed || !strings.Contains(said, "5 blocks, 2 run, written") {
		t.Errorf("exit %d: %s\n%s", exit, said, now)
	}
	// Texts of the author stay, other fences are not looked into, and lines may end as on Windows.
	mine := "```weft\r\n1 + 1\r\n```\r\n\r\n```text\r\nmy own\r\n```\r\n\r\n````md\r\n```weft\r\nnothing\r\n```\r\n````\r\n"
	if now, said, exit := run(mine); exit != 0 || !strings.Contains(said, "1 block, 1 run") || !strings.Contains(now, "my own") || !strings.Contains(now, "\n2\n```\n\r\n```text\r\nmy own") {
		t.Errorf("exit %d: %s\n%q", exit, said, now)
	}
	for text, want := range map[string]string{"text\n```weft\n1 + 1\n": "begins at line 3 has no end", "```weft alnoe\n1\n```\n": "weft alone", "```text\n```\n": "no blocks of weft",
		"```weft-old\nx = 1\n": "no blocks of weft"} {
		if now, said, exit := run(text); exit != 1 || now != text || !strings.Contains(said, want) {
			t.Errorf("exit %d: %s", exit, said)
		}
	}
	// A picture stands below its block once, whatever it is named.
	picture := "```weft\nx = axis(x, 0 .. 9 in 10)\nplot.line(x, \"a (b) 50%.png\")\n```\nend\n"
	now, said, exit := run(picture)
	if exit != 0 || !strings.Contains(now, "(a%20%28b%29%2050%25.png \"") {
		t.Errorf("exit %d: %s\n%s", exit, said, now)
	}
	if now, said, exit := run(strings.Replace(now, "0 .. 9", "0 .. 8", 1)); exit != 0 || strings.Count(now, "![") != 1 {
		t.Errorf("exit %d: %s\n%s", exit, said, now)
	}
	if now, said, exit := run(strings.Replace(first, "     2  4  6", "     2  4  7", 1), "--check"); exit != 1 || !strings.Contains(now, "4  7") {
		t.Errorf("exit %d: %s", exit, said)
	}
}
