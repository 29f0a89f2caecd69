package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"weft/ops"
	"weft/ops/files/fileio"
)

// A file of at most hashedWhole bytes is hashed as a whole; of a larger one its first and last pieces and others evenly between.
const (
	hashedWhole = 8 << 20
	piece       = 64 << 10
	pieces      = 64
)

// Identify adds the identity of a file, unless it is there or the file has no name.
func Identify(in []ops.InputIdentity, path string) ([]ops.InputIdentity, error) {
	if path == "" || slices.ContainsFunc(in, func(in ops.InputIdentity) bool { return in.Path == path }) {
		return in, nil
	}
	id, err := IdentityOf(path)
	if err != nil {
		return in, err
	}
	return append(in, id), nil
}

// IdentityOf tells a file from others of its name: by size, time of change, and a hash; a folder by those of its files.
func IdentityOf(path string) (ops.InputIdentity, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return folderIdentity(path)
	}
	file, err := os.Open(path)
	if err != nil {
		return ops.InputIdentity{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return ops.InputIdentity{}, err
	}
	id := ops.InputIdentity{Path: path, Bytes: info.Size(), Modified: info.ModTime().UnixNano()}
	h := sha256.New()
	how := "sha256"
	if info.Size() <= hashedWhole {
		_, err = io.Copy(h, file)
	} else {
		how = "sha256 of samples"
		fmt.Fprintln(h, info.Size())
		part := make([]byte, piece)
		for i := range int64(pieces) {
			if _, err = file.ReadAt(part, i*(info.Size()-piece)/(pieces-1)); err != nil {
				break
			}
			h.Write(part)
		}
	}
	if err != nil {
		return ops.InputIdentity{}, fmt.Errorf("%s: cannot be read: %w", path, err)
	}
	id.Hash = how + " " + hex.EncodeToString(h.Sum(nil)[:16])
	return id, nil
}

// folderIdentity hashes names, sizes and times of change.
func folderIdentity(path string) (ops.InputIdentity, error) {
	h := sha256.New()
	err := fs.WalkDir(os.DirFS(path), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(h, name, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	bytes, changed, failed := fileio.Stamp(path)
	if err = errors.Join(err, failed); err != nil {
		return ops.InputIdentity{}, fmt.Errorf("%s: cannot be read: %w", path, err)
	}
	return ops.InputIdentity{Path: path, Bytes: bytes, Modified: changed, Hash: "sha256 of names, sizes and times " + hex.EncodeToString(h.Sum(nil)[:16])}, nil
}
