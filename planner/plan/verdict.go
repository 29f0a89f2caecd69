package plan

// Code names the reason for a verdict on an edge. The table is what explain and the documentation print.
type Code string

// Codes of edges that are fused begin with F, of edges that are stored with S.
const (
	Pointwise    Code = "F1"
	Sibling      Code = "F2"
	Recomputed   Code = "F3"
	Forced       Code = "F4"
	Carried      Code = "F5"
	Woven        Code = "F6"
	Given        Code = "S1"
	Barrier      Code = "S2"
	Costly       Code = "S3"
	WantedBySink Code = "S4"
	Apart        Code = "S5"
	Kept         Code = "S6"
	Limit        Code = "S7"
	Budget       Code = "S8"
	Serial       Code = "S9"
	Bounding     Code = "S10"
	OtherTypes   Code = "S11"
	OtherDevice  Code = "S12"
	InOrder      Code = "S13"
	Invariant    Code = "S14"
	PartialSums  Code = "S15"
	Alike        Code = "S16"
	Counts       Code = "S17"
	AskedFor     Code = "S18"
	Sooner       Code = "S19"
)

// Meaning explains every code in a sentence.
var Meaning = map[Code]string{
	Pointwise:    "fused: every element is read once, so nothing is computed twice and the array is never stored",
	Sibling:      "fused: computed and stored by the same kernel, which hands the value on in a register",
	Recomputed:   "fused: computing the elements again where they are read costs less than storing and loading them",
	Forced:       "fused: asked for with @fuse",
	Carried:      "fused: loops that read it in the order in which it is made carry what it follows from, and it is never stored",
	Woven:        "fused: tasks read tiles of it, all of it does not fit the memory, and elements are made in few operations from fewer bytes",
	Given:        "stored: the elements exist before the kernel runs (read from outside, or known while planning)",
	Barrier:      "stored: every reader needs the result of a whole reduction, which must end before they begin",
	Costly:       "stored: elements are read more than once in all, and computing them again would cost more than storing and loading them",
	WantedBySink: "stored: a sink or a drive takes the array, and loading it costs less than computing it again",
	Apart:        "stored: every element is read once at most, but the reader's loop runs faster with the array in memory",
	Kept:         "stored: asked for with @keep",
	Limit:        "stored: beyond --fuse-limit",
	Bounding:     "stored: the array bounds another one, so that loops can skip what cannot change the result",
	OtherTypes:   "stored: @precision asks for other arithmetic in the reader, and a kernel computes in one type",
	OtherDevice:  "stored: @device puts the reader elsewhere, and a kernel runs in one place",
	Invariant:    "stored: it is the same in every call of the program that reads it",
	PartialSums:  "stored: the elements are sums of parts of a dimension, which add up to the same bits however many results there are",
	Serial:       "stored: the reader has too few elements to keep the threads busy, and the producer has enough",
	Alike:        "stored: readers compare elements, and what is computed in several places may differ in its last digits",
	InOrder:      "stored: elements are made one after the other, each from what came before it, and some reader takes them otherwise than by a loop along them",
	AskedFor:     "stored: elements are made one after the other, each from what came before it, and a sink or a drive takes them",
	Sooner:       "stored: elements are made one after the other, each from what came before it, and loops that carry them would take longer than storing and loading",
	Counts:       "stored: it says how many elements of another array there are, which must be known before that takes memory",
	Budget:       "stored: the fused kernel would hold more loops or values than a kernel may",
}

// Fused reports whether the code is of the fused kind.
func (c Code) Fused() bool { return c != "" && c[0] == 'F' }

// Edge is the verdict on one producer-consumer pair.
type Edge struct {
	From string `yaml:"from" json:"from"`
	To   string `yaml:"to" json:"to"`
	Code Code   `yaml:"code" json:"code"`
	// Reads is how often an element of From is read by To on average, of Readers stages that read it.
	Reads   float64 `yaml:"reads" json:"reads"`
	Readers int     `yaml:"readers" json:"readers"`
	// Bytes is what storing and loading costs (or would cost) in memory traffic.
	Bytes int64 `yaml:"bytes" json:"bytes"`
	// FusedMs and StoredMs are the predicted times of the two choices, beyond what both share; where From bounds another array, those of the
	// kernel that reads this with all turns of its loops, and with those that may matter.
	FusedMs  float64 `yaml:"fused_ms" json:"fused_ms"`
	StoredMs float64 `yaml:"stored_ms" json:"stored_ms"`
	// Kernel is the stage that a kernel of the plan stores in the time of the choice that was made; empty: none does.
	Kernel string `yaml:"kernel,omitempty" json:"kernel,omitempty"`
	// Margin is how many times less than storing, by prediction, fusing has to take; 0: less is enough.
	Margin float64 `yaml:"margin,omitempty" json:"margin,omitempty"`
	// Change says what would turn the verdict, where something would.
	Change string `yaml:"change,omitempty" json:"change,omitempty"`
	// Inner marks an edge within one operator.
	Inner bool `yaml:"inner,omitempty" json:"inner,omitempty"`
}
