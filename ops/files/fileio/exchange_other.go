//go:build !linux

package fileio

func exchange(a, b string) error { return exchangeByTurns(a, b) }
