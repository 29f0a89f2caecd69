// Package skytest runs the sky operators from plan to result on the compiled device and compares them with closed forms, with
// fixtures and with themselves under other tiles.
package skytest
