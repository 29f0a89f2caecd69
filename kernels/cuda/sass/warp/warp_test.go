package warp

import (
	"encoding/binary"
	"errors"
	"testing"

	"weft/kernels/cuda/sass"
)

// shown adds up numbers up to that of the thread, which is a loop that threads leave one after the other, and stores 64-bit sums of
// carries, shifts and comparisons.
const shown = `	.section	.text.k,"ax",@progbits
.text.k:
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/                   ULDC.64 UR4, c[0x0][0x210] ;
        /*0020*/                   IMAD.MOV.U32 R1, RZ, RZ, RZ ;
        /*0030*/                   MOV R2, R0 ;
        /*0038*/                   HFMA2.MMA R3, -RZ, RZ, 0, 5.9604644775390625e-08 ;
.L_x_1:
        /*0040*/                   ISETP.EQ.AND P0, PT, R2, RZ, PT ;
        /*0050*/               @P0 BRA ` + "`(.L_x_2)" + ` ;
        /*0060*/                   IMAD R1, R1, R3, R2 ;
        /*0070*/                   VIADD R2, R2, 0xffffffff ;
        /*0080*/                   BRA ` + "`(.L_x_1)" + ` ;
.L_x_2:
        /*0090*/                   IADD3 R4, P1, R0, -0x1, RZ ;
        /*00a0*/                   IADD3.X R5, RZ, 0x7, RZ, P1, !PT ;
        /*00b0*/                   LEA R6, P2, R0.reuse, UR4, 0x3 ;
        /*00c0*/                   LEA.HI.X.SX32 R7, R0, UR5, 0x3, P2 ;
        /*00d0*/                   LOP3.LUT R5, R5, 0x1f, RZ, 0x3c, !PT ;
        /*00e0*/                   SEL R5, R5, R4, P0 ;
        /*00f0*/                   STG.E desc[UR8][R6.64], R1 ;
        /*0100*/                   STG.E desc[UR8][R6.64+0x4], R5 ;
        /*0110*/                   EXIT ;
`

func TestWarp(t *testing.T) {
	p, err := New(sass.Read(shown)[0])
	if err != nil {
		t.Fatal(err)
	}
	memory := make([]byte, 40*8)
	const address = 7<<32 - 64 // carries into the upper word
	l := &Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{40, 1, 1}, Params: []uint64{address}, Memory: []Piece{{address, memory}}}
	c, err := p.Run(l, [3]int{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, n := range c.Times {
		total += n
	}
	// 32 tests and jumps, 31 turns for the thread that makes most, and once what is around.
	if want := 5 + 2*32 + 3*31 + 9; total != want || c.Requests != 2 || c.Sectors != 16 {
		t.Errorf("%d instructions, %d requests of %d sectors, want %d, 2 of 16: %v", total, c.Requests, c.Sectors, want, c.Times)
	}
	if _, err := p.Run(l, [3]int{}, 32); err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		carried := uint32(7)
		if i > 0 {
			carried = 8
		}
		sum, other := binary.LittleEndian.Uint32(memory[8*i:]), binary.LittleEndian.Uint32(memory[8*i+4:])
		if sum != uint32(i*(i+1)/2) || other != carried^0x1f {
			t.Errorf("thread %d stored %d and %#x", i, sum, other)
		}
	}
	l.Memory[0].Data = memory[:128]
	if _, err := p.Run(l, [3]int{}, 0); err == nil {
		t.Error("a store beyond the end")
	}
	other := sass.Read("\t.section\t.text.k,\"ax\",@progbits\n        /*0000*/                   MUFU.SIN R0, R1 ;\n")
	if p, err = New(other[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(l, [3]int{}, 0); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown instruction: %v", err)
	}
}
