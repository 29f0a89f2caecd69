package schedule

import "embed"

// Source is what this package is written in: what was learned of kernels under other rules says nothing.
//
//go:embed *.go
var Source embed.FS
