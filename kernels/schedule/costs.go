package schedule

// What the rules weigh by. Units are the time of one vector instruction (a multiply-add), for each lane where the name says so. Measured
// figures are of a Zen 5 core with AVX-512 and gcc 12, where an instruction takes 0.31 ns; names like load.gather are classes of package
// profile, whose figures are a lane's. The others are reasoned, and say how. costs_test.go fails where one of them moves.
const (
	gatheredLane  = 2.0  // a lane of a gather: load.gather takes 0.75 ns, 2.4 instructions, a line shared by a few lanes included
	cacheLine     = 4.0  // and of a line of its own: load.gather.far takes 1.15 ns more, 3.7 instructions
	nearRow       = 2.0  // a line of a window from a core's own cache, and of a far one below: delay-and-sum of 8 frames of 128 elements at
	farRow        = 8.0  // once, 0.5 MiB of lines a step, took 2.2 times one frame after the other, and with half the elements skipped 0.6
	groupedLane   = 2.7  // a place of which four neighbours are gathered and transposed: load.four takes 4 x 0.33 ns, 4.2, with lines
	groupGuard    = 1.0  // the test that they are there, since padding serves single elements only: a comparison
	crossedLane   = 0.8  // transposed in registers: 16 loads and 64 permutations for 16 vectors, at half the rate, and their lines
	scatteredLane = 3.0  // stored element by element: extract, address, store
	chosenLane    = 4.0  // and only where a condition holds: the mask as well, and a branch that is guessed wrong now and then
	storedRow     = 1.0  // of four elements: one store
	joinedLanes   = 12.0 // a horizontal sum: four halvings of a shuffle and an add, each after the other
	windowProof   = 3.5  // that a window serves, and the code for where it does not: proofs take 4 % of delay-and-sum, 3.5 of 90 instructions
	singleVector  = 0.3  // share of its time that a single vector in flight waits: a fit of 9 sums ran at 2.8 with one and 3.2 with two
	deepGather    = 1.2  // gathers with more than two vectors in flight: 1.5 Gpair/s of delay-and-sum with eight, 1.85 with two
	nearerLines   = 0.6  // share of a far line that loads save whose fold is split: load.four.far takes 0.76 ns, load.four 0.33
	fullWindow    = 0.1  // estimated spans err: of lane tiles that fit a window, the smaller is better by less than an instruction
	laterAxis     = 0.01 // settles ties
	fewTurns      = 16   // vectors of a nested sum, from which joining their lanes, 12 instructions, is less than a tenth of its work
	partsFlight   = 4    // iterations in flight of sums over parts: rows of 70 blocks of f16 took 8.3 with one on Zen 5, and 3.7 with four
	divergence    = 3.0  // the longest of 16 rows to the mean row: 3.4 where lengths are distributed exponentially, 1 where all are alike
	worthTurns    = 0.05 // share of a point's work from which turns go on lanes, too, of folds that are the same for all lanes
	alikeCost     = 1.15 // turns on lanes, to points: what may be lost so as not to need many points. Sums of k-means, for 3 centres, took 2.4 the other way
	fewerCost     = 1.05 // half the vectors in flight, measured second
	sharedLoad    = 0.95 // loads that vectors in flight have in common, of kernels that load little else

	longFold     = 24       // iterations that repay the edges of a lane tile, 16 x (2 gathered + 3 stored) lanes, at 3 or 4 instructions saved each
	hopeless     = 5        // times the best estimate from which a schedule is not measured: an estimate that far off would be useless
	mostRepeated = 0.03     // share of work that may be done again for loads to find what the tile before has read: that gained 2 to 5 %
	ownCache     = 1 << 20  // bytes that a core has to itself: level 2 of Zen 4 and Zen 5; others have 1 to 2 MiB
	lineElements = 16       // float32 in a cache line of 64 bytes
	lineBytes    = 64       // of it
	pageElements = 1024     // and in a page of 4 KiB, within which processors foresee what is read next
	longestTest  = 8        // iterations between tests of an exit: a reduction and a branch are a tenth of eight short iterations
	mostVectors  = 8        // in flight: as many as multiply-adds are under way, four cycles on two units
	spilling     = 16       // accumulators in flight from which steps go one accumulator after the other: 3.25 for 2.4 of a fit with 18
	narrowBlock  = 512      // iterations whose terms are summed in float32: an error of 9 bits of 24 at most, of 4 as a rule
	productBlock = 256      // and in products, whose libraries start anew as often
	sliceBytes   = 2048     // of an operand a point, in a slice of a split fold: 512 iterations park an accumulator for a twentieth of their time
	chunkPoints  = 512      // of an axis that share a slice: an operand then fills ownCache; half as many lose 5 % at 1000, packing twice as often
	fewestShare  = 40       // points that share packed vectors before these go: what they come from, a level behind, gives 4 bytes a cycle
	packedRead   = 0.2      // of a packed value: one of the two or three loads of a cycle, beside the arithmetic
	packedLine   = 1.0      // and of a line of what is packed, from level 2: of Golden Cove, 8 x 3 vectors of f32 are as fast as 14 x 2, 5 x 5 5 % slower
	shortRow     = 512      // bytes of a row of points that a block reads where it lies: 64 x 60 of 4096 turns at 95 lags took 54 ms so, and 66 packed
	fewPoints    = 64       // that share rows up to four times as long: for 60, packing 512 takes a fourth longer, for 128 rows of 1000 a tenth less
	nearCache    = 32 << 10 // bytes of operands that stay near by themselves: level 1 of most cores
	flatPoints   = 256      // the least that a tile should have: with 16 vectors or more, at most one in 16 has idle lanes
)

// windowCosts are those of loads through windows, by lanes of a register and size of the window: each 16 lanes of a window are a load and
// a permutation, of two registers if there are as many; registers of 8 take twice as many of both, and blends.
var windowCosts = map[int]map[int]float64{
	16: {16: 2, 32: 4},
	8:  {16: 6, 32: 14},
}

// registers are those of the target that hold vectors.
var registers = map[string]int{"avx512": 32, "avx2": 16, "portable": 16}

// flightRegisters are those of the target that vectors in flight may take with accumulators and their own invariants: all but what
// constants and temporaries need.
var flightRegisters = map[string]int{"avx512": 32 - 8, "avx2": 16 - 4, "portable": 16 - 4}
