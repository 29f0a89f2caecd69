package tiff

import "weft/ops/files/words"

// swapped reports a file in the other byte order than this machine's.
func (h *Header) swapped() bool { return h.BigEndian != words.HostBigEndian }

// unpredict undoes the prediction of a block of rows, each of the given number of elements, and leaves these in this machine's byte order.
func (h *Header) unpredict(b []byte, columns int) {
	h.Predictor.Undo(b, columns, h.DType.Size(), h.swapped())
}

// predict does what unpredict undoes.
func (h *Header) predict(b []byte, columns int) {
	h.Predictor.Do(b, columns, h.DType.Size(), h.swapped())
}

// swap turns elements between the file's byte order and this machine's.
func (h *Header) swap(b []byte) {
	if h.swapped() {
		words.Swap(b, h.DType.Size())
	}
}
