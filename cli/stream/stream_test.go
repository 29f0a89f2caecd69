package stream

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/kernels/cache/cachetest"
	"weft/lang/check"
	"weft/lang/diag"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/npy"
	"weft/runtime/progress"
	"weft/runtime/session"
)

func TestMain(m *testing.M) {
	cachetest.OptimiseLittle()
	os.Exit(m.Run())
}

// paper is a terminal that is none.
type paper struct{ io.Writer }

func (paper) Size() (int, int)            { return 80, 24 }
func (paper) Rich() bool                  { return false }
func (paper) To(w io.Writer) ops.Terminal { return paper{w} }

// opened is a stream of a text whose array `shot` is replaced.
func opened(t *testing.T, text string) *Stream {
	t.Helper()
	cachetest.Use(t)
	se, err := session.Open(session.Config{Device: session.HostOnly, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	check := func(values map[string]ops.Value) (*session.Program, error) {
		return session.CheckText("s.weft", []byte(text), check.Options{Values: values}), nil
	}
	p, _ := check(nil)
	if err := p.Err(); err != nil {
		t.Fatal(p.Found.String())
	}
	return &Stream{Session: se, Program: p, Check: check, From: map[string]string{}, To: map[string]string{}, Terminal: paper{io.Discard}, Progress: progress.Silence{},
		Said: func(string) {}, Show: func(found *diag.List) {
			if found.Len() > 0 {
				t.Error(found.String())
			}
		}}
}

// sent are frames as numpy.save writes them: 64 numbers, of which the first is the frame's number.
func sent(t *testing.T, n int) []byte {
	t.Helper()
	head, err := npy.FrameHeader(element.Float64, []int{64})
	if err != nil {
		t.Fatal(err)
	}
	b, err := binary.Append(head, binary.LittleEndian, [64]float64{float64(n), 1})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const adds = "x = axis(x, 0 .. 63 in 64)\nshot = cast(x, f64)\ntotal = sum(shot)\n"

// Frames come by a connection that is waited for and go to one that is called, one for each and in order.
func TestConnections(t *testing.T) {
	s := opened(t, adds)
	out, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	const frames = 50
	s.From["shot"], s.To["total"] = "listen://0", "tcp://"+out.Addr().String()
	var all sync.WaitGroup
	s.Said = func(line string) {
		at := line[strings.LastIndex(line, " ")+1:]
		all.Go(func() {
			c, err := net.Dial("tcp", at)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			for n := range frames {
				if _, err := c.Write(sent(t, n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	var got []float64
	all.Go(func() {
		c, err := out.Accept()
		if err != nil {
			t.Error(err)
			return
		}
		in := npy.NewFrames("results", c)
		for {
			f, err := in.Next(func(npy.Header) error { return nil })
			if err != nil {
				if err != io.EOF {
					t.Error(err)
				}
				return
			}
			v := make([]byte, 8)
			if err := f.Read(v, npy.Layout{DType: element.Float64}); err != nil {
				t.Error(err)
			}
			var x float64
			if _, err := binary.Decode(v, binary.NativeEndian, &x); err != nil {
				t.Error(err)
			}
			got = append(got, x)
		}
	})
	r, err := s.Run(t.Context())
	all.Wait()
	if err != nil || r.Came != frames || r.Done != frames || r.Dropped != 0 || r.Planned != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	for n, v := range got {
		if v != float64(n)+1 {
			t.Fatalf("frame %d: %v", n, v)
		}
	}
	if len(got) != frames {
		t.Errorf("%d results", len(got))
	}
}

// A thousand frames take no more memory than a hundred, and every one of those that came is done or counted as dropped.
func TestThousandFrames(t *testing.T) {
	s := opened(t, adds)
	r, w := io.Pipe()
	s.In, s.From["shot"], s.To["total"] = r, "-", "-"
	s.Out, s.Rate = io.Discard, 1e9
	var early, late uint64
	go func() {
		for n := range 1000 {
			if n == 100 || n == 999 {
				var m goruntime.MemStats
				goruntime.GC()
				goruntime.ReadMemStats(&m)
				early, late = late, m.HeapAlloc
			}
			if _, err := w.Write(sent(t, n)); err != nil {
				t.Error(err)
			}
		}
		w.Close()
	}()
	report, err := s.Run(t.Context())
	if err != nil || report.Came != 1000 || report.Done+report.Dropped != 1000 || report.Done == 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	if late > early+1<<20 {
		t.Errorf("%d bytes after 1,000 frames, %d after 100", late, early)
	}
	var text bytes.Buffer
	if err := report.Write(&text); err != nil || !strings.HasPrefix(text.String(), fmt.Sprintf("1000 frames came: %d done, %d dropped; ", report.Done, report.Dropped)) {
		t.Errorf("%s, %v", &text, err)
	}
}

// Cancelling ends a stream that waits, and what was done stays counted.
func TestCancelledStream(t *testing.T) {
	s := opened(t, adds)
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	s.In, s.From["shot"], s.To["total"], s.Out = r, "-", "-", io.Discard
	go func() {
		for n := range 3 {
			if _, err := w.Write(sent(t, n)); err != nil {
				t.Error(err)
			}
		}
		time.AfterFunc(100*time.Millisecond, cancel)
	}()
	report, err := s.Run(ctx)
	if !errors.Is(err, context.Canceled) || report == nil || report.Came != 3 || report.Done != 3 {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestDelays(t *testing.T) {
	var d delays
	if d.within(0.5) != 0 {
		t.Errorf("%v of none", d.within(0.5))
	}
	for i := 1; i <= 1000; i++ {
		d.add(time.Duration(i) * 100 * time.Microsecond)
	}
	for share, want := range map[float64]float64{0.5: 50.1, 0.99: 99.1} {
		if got := ms(d.within(share)); got < want || got > 1.01*want {
			t.Errorf("%v of the delays within %v ms, want %v", share, got, want)
		}
	}
	d.add(time.Hour)
	d.add(0)
	if d.worst != time.Hour || d.within(1) != time.Hour || d.last != 0 {
		t.Errorf("%v, %v, %v", d.worst, d.within(1), d.last)
	}
}
