package cost

import (
	"embed"
	"fmt"
	"strings"
	"sync"

	"weft/kernels/cache"
	"weft/kernels/schedule"
)

//go:embed *.go
var source embed.FS

// version tells this model from any other: what was learned says how far one model is off. It is a digest of what the model and the schedules
// that it counts by are written in, so that nobody has to remember to count.
var version = sync.OnceValue(func() string {
	var texts []string
	for _, from := range []embed.FS{source, schedule.Source} {
		files, err := from.ReadDir(".")
		for _, f := range files {
			if strings.HasSuffix(f.Name(), "_test.go") {
				continue
			}
			text, failed := from.ReadFile(f.Name())
			if failed != nil {
				err = failed
			}
			texts = append(texts, string(text))
		}
		if err != nil {
			panic(fmt.Sprintf("cost: the program does not hold what it is made of: %v", err))
		}
	}
	return cache.Digest(texts...)
})
