package interp

// spelled is what C calls each instruction: Fd, Fa, Fb, Fc stand for its float registers, Id and so on for its integer ones, CALL for
// the call of its function. Registers have the types of their values, so that an assignment rounds or wraps as the instruction does.
var spelled = map[opcode]string{
	movF: "Fd = Fa", movI: "Id = Ia",

	addF64: "Fd = Fa + Fb", addF32: "Fd = Fa + Fb", addI64: "Id = Ia + Ib", addI32: "Id = Ia + Ib",
	subF64: "Fd = Fa - Fb", subF32: "Fd = Fa - Fb", subI64: "Id = Ia - Ib", subI32: "Id = Ia - Ib",
	mulF64: "Fd = Fa * Fb", mulF32: "Fd = Fa * Fb", mulI64: "Id = Ia * Ib", mulI32: "Id = Ia * Ib",
	mulAddF64: "Fd = __builtin_fma(Fa, Fb, Fc)", mulSubF64: "Fd = __builtin_fma(Fa, Fb, -Fc)", subMulF64: "Fd = __builtin_fma(-Fa, Fb, Fc)",
	mulAddF32: "Fd = __builtin_fmaf(Fa, Fb, Fc)", mulSubF32: "Fd = __builtin_fmaf(Fa, Fb, -Fc)", subMulF32: "Fd = __builtin_fmaf(-Fa, Fb, Fc)",
	divF64: "Fd = Fa / Fb", divF32: "Fd = Fa / Fb", divI64: "Id = floor_div(Ia, Ib)", divI32: "Id = (int)floor_div(Ia, Ib)",
	modI64: "Id = floor_mod(Ia, Ib)", modI32: "Id = (int)floor_mod(Ia, Ib)",
	negF: "Fd = -Fa", negI64: "Id = -Ia", negI32: "Id = -Ia",
	absF: "Fd = __builtin_fabs(Fa)", absI64: "Id = Ia < 0 ? -Ia : Ia", absI32: "Id = Ia < 0 ? -Ia : Ia",
	minF: "Fd = Fa < Fb ? Fa : Fb", minI: "Id = Ia < Ib ? Ia : Ib", maxF: "Fd = Fa > Fb ? Fa : Fb", maxI: "Id = Ia > Ib ? Ia : Ib",

	ltF: "Id = Fa < Fb", ltI: "Id = Ia < Ib", leF: "Id = Fa <= Fb", leI: "Id = Ia <= Ib",
	eqF: "Id = Fa == Fb", eqI: "Id = Ia == Ib", neF: "Id = Fa != Fb", neI: "Id = Ia != Ib",
	andB: "Id = Ia & Ib", orB: "Id = Ia | Ib", notB: "Id = Ia ^ 1",
	bitAndI64: "Id = Ia & Ib", bitOrI64: "Id = Ia | Ib", bitXorI64: "Id = Ia ^ Ib",
	bitAndI32: "Id = (int)(Ia & Ib)", bitOrI32: "Id = (int)(Ia | Ib)", bitXorI32: "Id = (int)(Ia ^ Ib)",
	addHeld: "Id = held_add(Ia, Ib)", subHeld: "Id = held_sub(Ia, Ib)", mulHeld: "Id = held_mul(Ia, Ib)",
	shlI64: "Id = (long long)((unsigned long long)Ia << (Ib & 63))", shlI32: "Id = (int)((unsigned)Ia << (Ib & 31))",
	shrI64: "Id = Ia >> (Ib & 63)", shrI32: "Id = (int)Ia >> (Ib & 31)",
	ushrI64: "Id = (long long)((unsigned long long)Ia >> (Ib & 63))", ushrI32: "Id = (int)((unsigned)Ia >> (Ib & 31))",
	selectF: "Fd = Ia ? Fb : Fc", selectI: "Id = Ia ? Ib : Ic",

	sqrtF64: "Fd = __builtin_sqrt(Fa)", sqrtF32: "Fd = (float)__builtin_sqrt(Fa)",
	rintF: "Fd = __builtin_rint(Fa)", floorF: "Fd = __builtin_floor(Fa)", ceilF: "Fd = __builtin_ceil(Fa)", truncF: "Fd = __builtin_trunc(Fa)",
	callF64: "Fd = CALL", callF32: "Fd = (float)CALL",

	roundF32: "Fd = (float)Fa", wrapI32: "Id = (int)Ia", floatI64: "Fd = (double)Ia", floatI32: "Fd = (float)Ia",
	truncI64: "Id = to_long(Fa)", truncI32: "Id = to_int(Fa)", boolF: "Id = Fa != 0", boolI: "Id = Ia != 0",
	bitsF64: "Id = bits_d(Fa)", bitsF32: "Id = bits_f((float)Fa)", fromBitsF64: "Fd = from_bits_d(Ia)", fromBitsF32: "Fd = from_bits_f((int)Ia)",
}
