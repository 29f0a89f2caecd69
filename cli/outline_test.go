package cli

import (
	"bytes"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"weft/lang/diag/diagtest"
)

var (
	outlineRow    = regexp.MustCompile(`^ +(< )?(\d+) % +(-?[\d.e+]+ \w+) (.{5})  (.*)$`)
	outlineHead   = regexp.MustCompile(`^\S+: ([\d.]+ \w+) predicted on .*; at most (.*) of arrays at once`)
	outlineKernel = regexp.MustCompile(`^  ((?:d\d+\.\w+\.)?k\d+) `)
	verboseKernel = regexp.MustCompile(`(?m)^(k\d+) +kernel .*\n(?: {6}.*\n)*? {6}cost .*: predicted ([\d.]+ \w+),`)
	verboseHead   = regexp.MustCompile(`at most (.*) of arrays at once`)
)

// Explain fits one screen for everything that ships, and says nothing twice with different figures.
func TestOutlines(t *testing.T) {
	files := diagtest.Pipelines(t, "../pipelines")
	profile, err := filepath.Abs("testdata/profile.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("WEFT_PROFILE", profile)
	t.Setenv("WEFT_CACHE", compiled)
	for _, file := range files {
		outline, verbose := explain(t, file), explain(t, file, "--verbose")
		lines := strings.Split(strings.TrimRight(outline, "\n"), "\n")
		if len(lines) > 40 {
			t.Errorf("%s: %d lines, more than a screen has", file, len(lines))
		}
		times := map[string]string{}
		for _, m := range verboseKernel.FindAllStringSubmatch(verbose, -1) {
			times[m[1]] = m[2]
		}
		head := outlineHead.FindStringSubmatch(lines[0])
		if head == nil {
			t.Fatalf("%s: no headline in %q", file, lines[0])
		}
		if peak := verboseHead.FindStringSubmatch(verbose)[1]; !strings.HasPrefix(peak, head[2]) {
			t.Errorf("%s: at most %s and %s of arrays", file, head[2], peak)
		}
		sum, shares := 0.0, 0.0
		for _, l := range lines {
			if n := len([]rune(l)); n > 110 {
				t.Errorf("%s: %d columns: %s", file, n, l)
			}
			m := outlineRow.FindStringSubmatch(l)
			if m == nil {
				continue
			}
			if k := outlineKernel.FindStringSubmatch(m[5]); k != nil {
				if times[k[1]] != m[3] && !strings.Contains(k[1], ".") { // those of drives are in many calls
					t.Errorf("%s: %s takes %s, and %s", file, k[1], m[3], times[k[1]])
				}
				continue
			}
			share, err := strconv.ParseFloat(m[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			if m[1] != "" { // less than that
				share /= 2
			}
			sum, shares = sum+inSeconds(t, m[3]), shares+share
		}
		if whole := inSeconds(t, head[1]); math.Abs(sum-whole) > 0.02*whole || math.Abs(shares-100) > 8 {
			t.Errorf("%s: rows sum up to %g s and %g %%, of %g s:\n%s", file, sum, shares, whole, outline)
		}
	}
}

func explain(t *testing.T, file string, flags ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	args := append([]string{"explain", "--isa", "avx2", "--threads", "4", "--memory", "2GiB", file}, flags...)
	if code := Run(t.Context(), args, nil, &out, &errs); code != 0 {
		t.Fatalf("%s: exit %d: %s", file, code, errs.String())
	}
	return out.String()
}

func inSeconds(t *testing.T, text string) float64 {
	t.Helper()
	d, err := time.ParseDuration(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return d.Seconds()
}
