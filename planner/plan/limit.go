package plan

import (
	"fmt"
	"sort"
)

// OfArrays is what arrays may take of a limit that a user set. Weft itself, plans and what is read ahead of files take up to 160 MiB, which large
// limits hold too; smaller ones than 256 MiB are of arrays alone. Beside arrays of gigabytes, which come in many blocks, plans and what is checked take more, up
// to 320 MiB.
func OfArrays(limit int64) int64 {
	return limit - max(min(160<<20, max(0, limit-256<<20)/4), min(320<<20, max(0, limit-1<<30)/3))
}

// OfLaunches is what kernels that run may take besides arrays, for what they pack, on all threads together: up to 48 MiB beside any arrays, which is about
// what caches hold that threads share, and a sixteenth of what large ones may take, up to 256 MiB. OfArrays leaves room for it within large limits.
func OfLaunches(arrays int64) int64 { return min(max(48<<20, arrays/16), 256<<20) }

// SizeFor writes the least limit, as --memory takes it, whose arrays may take so many bytes.
func SizeFor(bytes int64) string {
	count, _, name := limitFor(bytes)
	return fmt.Sprint(count, name)
}

// LimitFor is that limit.
func LimitFor(bytes int64) int64 {
	count, unit, _ := limitFor(bytes)
	return count * unit
}

func limitFor(bytes int64) (count, unit int64, name string) {
	unit, name = 1, "B"
	switch {
	case bytes >= 16<<20:
		unit, name = 1<<20, "MiB"
	case bytes >= 16<<10:
		unit, name = 1<<10, "KiB"
	}
	return int64(sort.Search(int(2*bytes/unit+1), func(n int) bool { return OfArrays(int64(n)*unit) >= bytes })), unit, name
}
