// Command weft runs scientific array pipelines. See README.md, or weft --help.
package main

import "weft/cli"

//go:generate go run . docs docs
//go:generate go run ./docs/fields docs/fields.md
//go:generate go run ./docs/railroad docs/img/grammar.svg

func main() { cli.Main() }
