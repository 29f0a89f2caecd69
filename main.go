// Command weft runs scientific array pipelines. See README.md, or weft --help.
package main

import "weft/cli"

//go:generate go run . docs docs

func main() { cli.Main() }
