// Package docs holds the pages of the documentation, as weft doc shows them.
package docs

import "embed"

//go:embed *.md img
var Files embed.FS
