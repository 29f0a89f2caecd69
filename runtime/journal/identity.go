package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"weft/ops"
)

// A file of at most hashedWhole bytes is hashed as a whole; of a larger one its first and last pieces and others evenly between.
const (
	hashedWhole = 8 << 20
	piece       = 64 << 10
	pieces      = 64
)

// IdentityOf tells a file from others of its name: by size, time of change, and a hash.
func IdentityOf(path string) (ops.InputIdentity, error) {
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
