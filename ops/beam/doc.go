// Package beam holds the operators of ultrasound imaging by delay and sum: probes, grids, transmit laws and windows as
// values known while checking, and demodulate and beamform as arrays.
//
// Coordinates: x lateral, y elevation, z depth away from the probe, metres. Time zero of a transmit law is when its wave
// leaves the reference the law names (the first element to fire, or the origin). A sample n of a record lies at
// t = start + n/fs. Inside kernels lengths are counted in samples (x fs/c), so that a delay is an index.
package beam
