package ir

import (
	"flag"
	"os"
	"testing"
)

// TestMain fixes the seed of property tests, unless the command line gives one.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("rapid.seed"); f.Value.String() == f.DefValue {
		if err := f.Value.Set("20"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
