package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Read is what a file of the cache holds. One that somebody else could have written counts as one that cannot be read.
func Read(path string) ([]byte, error) {
	if err := Trusted(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// Write puts a file in place whole or not at all: other processes see the old one or the new one.
func Write(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "tmp-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already after the rename
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Digest hashes parts so that no two different lists give one text.
func Digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
