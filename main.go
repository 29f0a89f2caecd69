// Command weft runs scientific array pipelines. See README.md, or weft --help.
package main

import "weft/cli"

func main() { cli.Main() }
