package native

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"weft/kernels/cache"
)

// probeCache keeps what compilers answered, one file each, so that a warm start runs none. Its folder may be shared.
type probeCache struct{ dir string }

// lookup returns what is known of a command, asking it when the program or the processor is not the one remembered.
func (p probeCache) lookup(ctx context.Context, command string) (*compiler, error) {
	argv, err := resolve(command)
	if err != nil {
		return nil, err
	}
	key, err := probeKey(argv)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(p.dir, "compiler-"+key+".json")
	if c, ok := readProbe(path, argv); ok {
		return c, nil
	}
	c, err := probe(ctx, argv)
	if err != nil {
		return nil, err
	}
	if err := c.try(ctx, p.dir); err != nil {
		return nil, err
	}
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	return c, cache.Write(path, text)
}

// readProbe reads a remembered answer of a command; a file that does not parse counts as absent and is replaced. What is executed is
// never taken from it.
func readProbe(path string, argv []string) (*compiler, bool) {
	text, err := cache.Read(path)
	if err != nil {
		return nil, false
	}
	c := &compiler{Command: argv}
	if json.Unmarshal(text, c) != nil || c.check() != nil {
		return nil, false
	}
	return c, true
}

// probeKey changes whenever the compiler is replaced or the processor is another.
func probeKey(argv []string) (string, error) {
	path, err := filepath.EvalSymlinks(argv[0])
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return cache.Digest(strings.Join(argv, " "), path, fmt.Sprint(info.ModTime().UnixNano(), info.Size()), processor()), nil
}

// processor tells one processor model from another: what Linux says of the first core.
func processor() string {
	id := runtime.GOOS + " " + runtime.GOARCH
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return id
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, 8<<10))
	core, _, _ := strings.Cut(string(text), "\n\n")
	for line := range strings.Lines(core) {
		name, _, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(name) {
		case "vendor_id", "cpu family", "model", "model name", "stepping", "flags", "Features", "CPU part":
			id += "\n" + line
		}
	}
	return id
}
