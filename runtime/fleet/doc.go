// Package fleet runs kernels on devices with memory of their own. Devices hold replicas of regions of
// host arrays: inputs go there when they are needed and stay, outputs come back as soon as a range is done or, where the job lets them stay, when somebody
// asks for them; what is lost before that is made again. The ranges of a kernel are
// regions of its axes, cut from one queue that all its devices pull from, each with several slots, so that copies to a device, its
// computing and copies back go on at the same time, and a fast device takes more. What only devices see is launched without waiting for it, and what one device holds of rows
// that another needs goes straight there. What fails on a device is done again on the host's
// processor, and told.
package fleet
