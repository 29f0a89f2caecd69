package native

import (
	"fmt"
	"os"
	"path/filepath"

	"weft/kernels/cache"
)

// Config says which compiler and cache to use. The zero value means the defaults everywhere.
type Config struct {
	Compilers  []string // commands to try in order, arguments included; nil: CC, cc, gcc, clang
	ISA        string   // avx512, avx2 or portable; empty: the best that compiler and processor share
	Cache      string   // folder; empty: weft in the user's cache folder
	CacheLimit int64    // bytes of objects kept; 0: DefaultCacheLimit
	Scratch    int64    // bytes that launches may take together for what they pack; 0: any
	Threads    int      // launches at once that share these; 0: one a processor
}

// DefaultCacheLimit bounds the objects kept on disk, in bytes.
const DefaultCacheLimit = 256 << 20

// FromEnv reads WEFT_CC, WEFT_ISA and WEFT_CACHE.
func FromEnv() Config {
	c := Config{ISA: os.Getenv("WEFT_ISA"), Cache: os.Getenv("WEFT_CACHE")}
	if cc := os.Getenv("WEFT_CC"); cc != "" {
		c.Compilers = []string{cc}
	}
	return c
}

// candidates are the compilers to try, in order.
func (c Config) candidates() []string {
	if c.Compilers != nil {
		return c.Compilers
	}
	list := []string{"cc", "gcc", "clang"}
	if cc := os.Getenv("CC"); cc != "" {
		list = append([]string{cc}, list...)
	}
	return list
}

// folder returns the cache folder, made if need be.
func (c Config) folder() (string, error) {
	dir := c.Cache
	var err error
	if dir == "" {
		dir, err = cache.Folder()
	}
	if err == nil {
		err = cache.Use(filepath.Join(dir, "objects"))
	}
	if err == nil {
		err = cache.Trusted(dir)
	}
	if err != nil {
		return "", fmt.Errorf("native: %w", err)
	}
	return dir, nil
}
