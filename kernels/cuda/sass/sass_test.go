package sass

import "testing"

// shown is a kernel as the disassembler prints it: a loop with a call for rare operands, around a store.
const shown = `	.section	.text.k,"ax",@progbits
.text.k:
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/               @P0 EXIT ;
.L_x_1:
        /*0020*/                   LDG.E.128.CONSTANT R4, desc[UR4][R2.64] ;
        /*0030*/                   MUFU.RSQ R5, R4 ;
        /*0040*/                   ISETP.GT.U32.AND P1, PT, R9, 0x727fffff, PT ;
        /*0050*/              @!P1 BRA ` + "`(.L_x_2)" + ` ;
        /*0060*/                   MOV R15, 0x2490 ;
        /*0070*/                   CALL.REL.NOINC ` + "`($slow)" + ` ;
.L_x_2:
        /*0080*/                   FFMA R6, R5, R4, R6 ;
        /*0090*/               @P2 BRA ` + "`(.L_x_1)" + ` ;
        /*00a0*/               @P3 BRA ` + "`(.L_x_3)" + ` ;
        /*00b0*/                   STG.E.128 desc[UR4][R2.64], R4 ;
        /*00c0*/                   EXIT ;
.L_x_3:
        /*00d0*/                   STG.E desc[UR4][R2.64], R4 ;
        /*00e0*/                   EXIT ;
.L_x_4:
        /*00f0*/                   BRA ` + "`(.L_x_4)" + ` ;
        /*0100*/                   NOP ;
`

func TestCounts(t *testing.T) {
	kernels := Read(shown)
	if len(kernels) != 1 || kernels[0].Name != "k" || len(kernels[0].Code) != 16 {
		t.Fatalf("%+v", kernels)
	}
	k := kernels[0]
	loops := k.Loops()
	if len(loops) != 1 {
		t.Fatalf("%d loops", len(loops))
	}
	turn := loops[0]
	want := Counts{Float: 1, Integer: 1, Special: 1, Memory: 1, Other: 2}
	if got := turn.Count(); got != want || got.Total() != 6 || turn.Bytes("LDG") != 16 || turn.Number("MUFU", "FFMA") != 2 {
		t.Errorf("a turn is %+v", got)
	}
	if around := k.Around(k.Widest("LDG")); around.Count() != want {
		t.Errorf("a turn around the load is %+v", around)
	}
	at := k.Widest("STG")
	if k.Around(at) != nil {
		t.Error("a turn around a store that is in no loop")
	}
	way := k.Through(at)
	if k.Code[at].Bytes() != 16 || len(way) != 11 || way.Number("STG") != 1 || way.Number("CALL") != 0 || way.Number("EXIT") != 2 {
		t.Errorf("%d instructions on the way through %+v: %+v", len(way), k.Code[at], way)
	}
}
