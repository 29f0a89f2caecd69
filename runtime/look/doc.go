// Package look has samples of what kernels of a run stored taken and compared beside what follows them, and what differs looked at once more.
package look
