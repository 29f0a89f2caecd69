"""Tests of the package against a real weft, which WEFT or the path names: python3 -m unittest discover -s tests, in the folder python."""

import contextlib
import copy
import glob
import io
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

import numpy as np

import weft
from weft import _client, _memory


def tree():
    return weft.array(np.arange(6, dtype=np.float32).reshape(2, 3), dims=["y", "x"], coords={"x": ([0, 2, 4], "mm")}, unit="Pa")


class Run(unittest.TestCase):
    def test_values(self):
        """Values that nothing else is made of come back, with names, coordinates and units."""
        r = weft.run("low = min(a)\nscaled = 2 * a\nrest = scaled - low", a=tree())
        self.assertEqual(list(r), ["rest"])
        rest = r["rest"]
        np.testing.assert_array_equal(rest, 2 * np.arange(6).reshape(2, 3))
        self.assertEqual((rest.dims, rest.unit, rest.dtype), (("y", "x"), "Pa", np.float32))
        np.testing.assert_allclose(rest.coords["x"], [0, 2, 4])
        self.assertEqual(rest.coord_units["x"], "mm")
        self.assertIn("kernel", r.summary)

    def test_last_line(self):
        self.assertEqual(float(weft.run("sum(a)", a=tree()).value), 15)

    def test_want(self):
        r = weft.run("b = a + 1 Pa\nc = 2 * b", want="b", a=tree())
        self.assertEqual(list(r), ["b"])
        with self.assertRaisesRegex(weft.WeftError, "no value is named q"):
            weft.run("b = a", want=["q"], a=tree())

    def test_types(self):
        """Every type comes back as it went, but for those that weft does not have."""
        for dtype in ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "f2", "f4", "f8", "c8", "c16"]:
            with self.subTest(dtype):
                a = (np.arange(60) % 2 if dtype == "?" else np.arange(60) * (1 - 2j if dtype[0] == "c" else 1)).astype(dtype).reshape(3, 4, 5)
                back = weft.run("a", a=weft.array(a, dims=["x", "y", "z"])).value
                self.assertEqual(back.dtype, a.dtype)
                np.testing.assert_array_equal(back, a)
        big = weft.run("a", a=weft.array(np.arange(3, dtype=">u8"), dims=["x"])).value
        self.assertEqual(big.dtype, np.int64)
        with self.assertRaisesRegex(ValueError, "beyond"):
            weft.run("a", a=weft.array(np.array([2**64 - 1], dtype="u8"), dims=["x"]))
        with self.assertRaisesRegex(TypeError, "no elements"):
            weft.run("a", a=weft.array(np.array(["text"]), dims=["x"]))

    def test_layouts(self):
        a = np.arange(24.0).reshape(4, 6)
        for b in (a.T, a[::-1, ::2], np.asfortranarray(a)):
            np.testing.assert_array_equal(weft.run("a", a=weft.array(b, dims=["x", "y"])).value, b)
        self.assertEqual(float(weft.run("a + 1", a=weft.array(np.float32(2), dims=[])).value), 3)

    def test_units(self):
        """Numbers are in the unit that they have, there and back."""
        r = weft.run("b = a + 1 m\nc = t", a=weft.array([1.0, 2.5], dims=["x"], unit="mm"), t=weft.array(np.array([20, 21]), dims=["x"], unit="degC"))
        self.assertEqual(r["b"].unit, "mm")
        np.testing.assert_allclose(r["b"], [1001, 1002.5])
        np.testing.assert_allclose(r["c"], [20, 21], rtol=1e-6)

    def test_params(self):
        text = "param gain = 2 V\nb = gain * a"
        a = weft.array([1.0, 2.0], dims=["x"])
        np.testing.assert_array_equal(weft.run(text, a=a).value, [2, 4])
        np.testing.assert_array_equal(weft.run(text, a=a, gain="3 V").value, [3, 6])
        np.testing.assert_array_equal(weft.run("b = a * gain", a=a, gain=4).value, [4, 8])
        with self.assertRaisesRegex(weft.WeftError, "E0227"):
            weft.run(text, a=a, gain="3 m")

    def test_records(self):
        r = weft.run("r = (low: min(a), high: max(a), name: \"it\")", a=tree())
        self.assertEqual((float(r["r"].low), float(r["r"]["high"]), r["r"].name), (0, 5, "it"))

    def test_mistakes(self):
        with self.assertRaises(weft.WeftError) as e:
            weft.run("b = 1\nc = meen(a, over: x)", a=tree())
        m = e.exception.mistakes[0]
        self.assertEqual((m.line, m.column), (2, 5))
        self.assertIn("^", str(e.exception))
        with self.assertRaisesRegex(weft.WeftError, "nothing in the text uses"):
            weft.run("b = 1 + a", a=tree(), aa=tree())
        with self.assertRaisesRegex(ValueError, "name them"):
            weft.run("sum(a)", a=np.zeros((2, 2)))
        with self.assertRaisesRegex(weft.WeftError, "no dimension z"):
            weft.run("sum(a, over: z)", a=tree())

    def test_file(self):
        """A file runs from where Python is; what it reads may be given."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "twice.weft"), "w") as f:
                f.write('a = read("nowhere.npy", dims: [x])\nb = 2 * a\nb | write("b.npy")\n')
            here = os.getcwd()
            os.chdir(folder)
            try:
                r = weft.run("twice.weft", a=weft.array([1.0, 2.0], dims=["x"]))
                np.testing.assert_array_equal(np.load("b.npy"), r["b"])
                self.assertEqual([os.path.basename(f) for f in r.files], ["b.npy"])
                with self.assertRaisesRegex(weft.WeftError, "twice.weft:1"):
                    weft.run("twice.weft")
            finally:
                os.chdir(here)

    def test_same_bits(self):
        """What comes back is what `weft run` writes."""
        text = "k = axis(k, 0 .. 1 in 64)\nb = exp(sin(a * k)) / (1 + a ^ 2)\nc = sum(b, over: x)\n"
        a = np.random.default_rng(1).random((50, 700), dtype=np.float32)
        with tempfile.TemporaryDirectory() as folder:
            np.save(os.path.join(folder, "a.npy"), a)
            with open(os.path.join(folder, "p.weft"), "w") as f:
                f.write('a = read("a.npy", dims: [y, x])\n' + text + 'c | write("c.npy")\n')
            subprocess.run([_client.executable(), "run", "p.weft"], cwd=folder, check=True, capture_output=True)
            np.testing.assert_array_equal(np.load(os.path.join(folder, "c.npy")), weft.run(text, a=weft.array(a, dims=["y", "x"]))["c"])

    def test_names_stay(self):
        """Copies keep their names, transposes turn them, and what has lost them is refused rather than misread."""
        a = tree()
        for b in (a.copy(), a.astype("f8"), copy.copy(a), copy.deepcopy(a), pickle.loads(pickle.dumps(a)), weft.array(a)):
            self.assertEqual((b.dims, b.unit, list(b.coords)), (("y", "x"), "Pa", ["x"]))
            self.assertEqual(float(weft.run("sum(b)", b=b).value), 15)
        np.testing.assert_array_equal(weft.run("t[x: 1]", t=a.T).value, [1, 4])
        for b in (a.reshape(3, 2), a.ravel(), a.view(), np.zeros_like(a), a + 1):
            with self.assertRaisesRegex(ValueError, "name them"):
                weft.run("sum(b)", b=b)
        self.assertEqual(weft.array(a, unit="kPa").unit, "kPa")
        self.assertEqual(list(weft.array(a, coords={"x": [1, 2, 3]}).coords["x"]), [1, 2, 3])
        self.assertEqual(weft.array(a, dims=["z", "w"]).coord_units, {"w": "mm"})

    def test_what_weft_has_not(self):
        masked = np.ma.masked_array([1.0, 2.0, 99.0], [0, 0, 1])
        self.assertTrue(np.isnan(weft.run("sum(b)", b=weft.array(masked, dims=["x"])).value))
        with self.assertRaisesRegex(ValueError, "masked"):
            weft.array(np.ma.masked_array([1, 2], [0, 1]), dims=["x"])
        with self.assertRaisesRegex(ValueError, "NaN or infinite"):
            weft.array([1, 2], dims=["x"], coords={"x": [0, np.nan]})
        with self.assertRaisesRegex(TypeError, "texts"):
            weft.array([1, 2], dims=[0])
        with self.assertRaisesRegex(ValueError, "no empty arrays"):
            weft.run("b", b=weft.array(np.zeros((0, 3)), dims=["x", "y"]))
        with self.assertRaisesRegex(weft.WeftError, "b: .*dBZ.*unit="):
            weft.run("b", b=weft.array([1.0], dims=["x"], unit="dBZ"))
        span = weft.array(np.array([1, 90], dtype="m8[s]"), dims=["x"])
        self.assertEqual((span.unit, list(span)), ("s", [1, 90]))

    def test_cf_units(self):
        for cf, mine in {"m s-1": "m s^-1", "m s**-1": "m s^-1", "W m-2": "W m^-2", "kg.m-3": "kg m^-3", "degrees_north": "deg", "m/s": "m/s", "%": "percent"}.items():
            back = weft.run("b", b=weft.array([2.0], dims=["x"], unit=cf)).value
            self.assertEqual((back.unit, list(back)), (mine, [2]))

    def test_numbers_keep_units(self):
        r = weft.run("d = 3 mm + 1 m\na = 30 deg\nn = 2 + 3")
        self.assertEqual((float(r["d"]), r["d"].unit, float(r["a"]), r["n"]), (1003, "mm", 30, 5))
        self.assertEqual(float(weft.run("e = d + 1 m", d=r["d"])["e"]), 2003)
        self.assertEqual(weft.run("param c = 4 m\nb = c / 2 s", want=["c", "b"])["c"].unit, "m")

    def test_timeout(self):
        """Whatever is raised within a call cancels it."""
        def late(*_):
            raise TimeoutError
        before = signal.signal(signal.SIGALRM, late)
        try:
            signal.alarm(1)
            with self.assertRaises(TimeoutError):
                weft.run(LONG + "\nb")
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)
        self.assertEqual(weft.run("2 + 2").value, 4)

    def test_explain(self):
        self.assertIn("share", weft.explain("b = sum(2 * a)", a=tree()))
        self.assertIn("<html", weft.explain("b = sum(2 * a)", format="html", a=tree()))


class Sessions(unittest.TestCase):
    def setUp(self):
        self.session = weft.Session(threads=1)
        self.addCleanup(self.session.close)

    def test_names(self):
        s = self.session
        s.run("b = 2 * a\nc = b + 1 Pa", a=tree())
        np.testing.assert_array_equal(s["c"], 2 * np.arange(6).reshape(2, 3) + 1)
        s.run("", a=weft.array(np.zeros((1, 1)), dims=["y", "x"], unit="Pa"))
        np.testing.assert_array_equal(s["c"], [[1]])  # which follows
        s.run("a = 4 Pa")
        self.assertEqual(s.run("", want="c")["c"], 9)
        with self.assertRaises(weft.WeftError):
            s.run("d = nothing")
        self.assertEqual(s["c"], 9)

    def test_params(self):
        s = self.session
        s.run("param n = 2 s\nb = n * 3")
        self.assertEqual(s["b"], 6)
        s.run("", n="5 s")
        self.assertEqual(s["b"], 15)
        with self.assertRaises(weft.WeftError):
            s.run("", n="5 m")

    def test_shown(self):
        shown = self.session.run("x = axis(x, -1 .. 1 in 64)\ny = axis(y, -1 .. 1 in 64)\nx * y\n[1, 2]").shown
        pictures = [s for s in shown if isinstance(s, bytes)]
        self.assertEqual(len(pictures), 1)
        self.assertTrue(pictures[0].startswith(b"\x89PNG"))
        self.assertIn("f32 [x: 64, y: 64]", "".join(s for s in shown if isinstance(s, str)))

    def test_value(self):
        s = self.session
        self.assertEqual(s.run("b = 3\nb + 1").value, 4)
        np.testing.assert_array_equal(s.run("a * 2", a=weft.array([1.0, 2.0], dims=["x"])).value, [2, 4])
        self.assertEqual(s.run("b + 2", want="_")["_"], 5)

    def test_broken(self):
        """A name that cannot be computed any more is a mistake, not missing."""
        s = self.session
        s.run("f = max(e, over: z)", e=weft.array(np.ones((2, 2)), dims=["x", "z"]))
        s.run("", e=weft.array(np.ones(2), dims=["x"]))
        with self.assertRaisesRegex(weft.WeftError, "no dimension z"):
            s["f"]

    def test_gone(self):
        """A session whose process ends between calls says so."""
        s = self.session
        s.run("b = 3")
        s._client.process.kill()
        s._client.process.wait()
        with self.assertRaisesRegex(weft.Interrupted, "is gone"):
            s["b"]
        self.assertEqual(s.run("2 + 2").value, 4)
        bad = weft.Session(memory="lots")
        with self.assertRaisesRegex(weft.Interrupted, "lots"):
            bad.run("1 + 1")

    def test_xarray(self):
        try:
            import xarray
        except ImportError:
            self.skipTest("no xarray")
        x = xarray.DataArray(np.eye(2), dims=["y", "x"], coords={"x": ("x", [0.0, 1.0], {"units": "mm"})}, attrs={"units": "Pa"})
        back = weft.run("b = 2 * a", a=x).to_xarray()["b"]
        np.testing.assert_array_equal(back, 2 * np.eye(2))
        self.assertEqual((back.dims, back.attrs["units"], back.x.attrs["units"]), (("y", "x"), "Pa", "mm"))


LONG = "x = axis(x, 0 .. 1 in 1000)\nb = x | iterate(v -> cos(v) + x / 1000000, at_most: 100000000)"


class Ends(unittest.TestCase):
    """Processes that end, and runs that are interrupted."""

    def setUp(self):
        # What is started in the background ignores Ctrl-C.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))

    def test_interrupted(self):
        s = weft.Session()
        self.addCleanup(s.close)
        s.run("y = 3")
        threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            s.run(LONG + "\nb")
        self.assertLess(time.monotonic() - start, 6)
        self.assertEqual(s["y"], 3)  # the session is as it was

    def test_weft_killed(self):
        s = weft.Session()
        self.addCleanup(s.close)
        s.run("y = 3")
        threading.Timer(1, s._client.process.kill).start()
        with self.assertRaisesRegex(weft.Interrupted, "ended before it answered"):
            s.run(LONG + "\nb")
        self.assertEqual(s.run("2 + 2", want=[]).shown, ["4\n"])  # by a new process

    @unittest.skipUnless(sys.platform == "linux", "looks into /proc")
    def test_python_killed(self):
        """A Python that is killed within a run leaves no process and no memory."""
        code = f"import sys; sys.path[:] = {sys.path!r}\nimport numpy as np, weft\nfrom weft import _client\n" \
            f"c = _client.shared(); print(c.process.pid, flush=True)\nweft.run({LONG!r} + '\\nc = sum(b) + sum(a)', a=weft.array(np.zeros(1 << 20), dims=['y']))"
        p = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        pid = int(p.stdout.readline())
        time.sleep(1.5)
        p.kill()
        p.wait()
        p.stdout.close()
        until = time.monotonic() + 10
        while os.path.exists(f"/proc/{pid}") and time.monotonic() < until:
            time.sleep(0.05)
        self.assertFalse(os.path.exists(f"/proc/{pid}"), "weft still runs")
        self.assertEqual(glob.glob("/dev/shm/*weft*"), [])

    def test_threads(self):
        """What a reply hands over is taken before another thread's request gives it back."""
        wrong = []

        def go(i):
            for r in range(20):
                try:
                    v = weft.run("x + 0", x=weft.array(np.full(1000, 100 * i + r, dtype=np.float32), dims=["x"])).value
                    if not (v == 100 * i + r).all():
                        wrong.append((i, r, v[0]))
                except Exception as e:
                    wrong.append((i, r, e))

        threads = [threading.Thread(target=go, args=(i,)) for i in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_interrupted_within_a_reply(self):
        """What was read of an answer is not lost where Ctrl-C comes before the rest."""
        client = object.__new__(_client.Client)
        to, there = os.pipe()
        with open(to, "rb") as stdout, open(os.devnull, "wb") as stdin, open(there, "wb", buffering=0) as weft_side, tempfile.TemporaryFile() as errors:
            client.process = types.SimpleNamespace(stdout=stdout, stdin=stdin)
            client.lock, client.buffer, client.errors, client.said, client.last = threading.Lock(), bytearray(), errors, 0, 0

            def message(body):
                return b"Content-Length: %d\r\n\r\n" % len(body) + body

            def answer():
                first = message(b'{"id": 1, "result": 4}')
                weft_side.write(first[:30])
                time.sleep(0.3)
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.3)
                weft_side.write(first[30:])

            t = threading.Thread(target=answer)
            t.start()
            with self.assertRaises(KeyboardInterrupt):
                client.call("one")
            t.join()
            weft_side.write(message(b'{"id": 2, "result": 5}'))
            self.assertEqual(client.call("two"), 5)

    def test_cells_that_are_wrong(self):
        """They fail, so that those below do not run, and show the line with a caret."""
        try:
            from IPython.core.interactiveshell import InteractiveShell
        except ImportError:
            self.skipTest("needs IPython")
        shell = InteractiveShell.instance()
        shell.run_line_magic("load_ext", "weft")
        shell.user_ns["square"] = np.ones((2, 2))
        shown = lambda cell: (shell.run_cell(cell, silent=True).success, out.getvalue())
        for cell, says in (
            ("%%weft\nb = nothing + 1", "1 | b = nothing + 1\n    |     ^^^^^^^"),
            ("%%weft -i missing\nb = missing + 1", "no variable missing"),
            ("%%weft -i square\nb = square + 1", "it has 2 dimensions"),
        ):
            with contextlib.redirect_stdout(io.StringIO()) as out:
                success, text = shown(cell)
            self.assertFalse(success)
            self.assertIn(says, text)
            self.assertNotIn("Traceback", text)
        self.assertTrue(shell.run_cell("%%weft -o b\nb = axis(i, 1 .. 3) + 1").success)
        self.assertEqual(shell.user_ns["b"].tolist(), [2, 3, 4])

    def test_no_leaks(self):
        """Files in memory do not pile up."""
        count = lambda: len(os.listdir("/proc/self/fd")) + len(os.listdir(f"/proc/{_client.shared().process.pid}/fd"))
        if not os.path.isdir("/proc/self/fd"):
            self.skipTest("looks into /proc")
        run = lambda: weft.run("2 * a", a=weft.array(np.zeros(1000), dims=["x"]))
        run()
        before = count()
        for _ in range(20):
            run()
        self.assertLessEqual(count(), before + 1)

    def test_memory_is_used_again(self):
        """Large arrays go through memory that earlier ones had, and none changes while somebody has it."""
        n = _memory.LARGE // 8 + 1000
        give = lambda k, extra=0: weft.array(np.full(n + extra, float(k)), dims=["x"])
        mine, parts = {}, {}
        with weft.Session() as s:
            s.run("", held=give(100))
            for k in range(30):
                r = weft.run("twice = 2 * a\nmore = a + 1", a=give(k, extra=k % 3))
                mine[k], parts[k] = r["twice"], r["more"][10:20]
                for old in range(max(0, k - 3), k + 1):
                    self.assertTrue((mine[old] == 2.0 * old).all())
                    self.assertTrue((parts[old] == old + 1.0).all())
                mine.pop(k - 3, None), parts.pop(k - 3, None)
                if k % 7 == 3:
                    s.run("", other=give(k))
                    with self.assertRaises(weft.WeftError):
                        s.run("wrong = nothing + 1", held=give(k + 100) if k % 2 else give(100))
                    s.run("", held=give(k + 200))
                    self.assertEqual(s.run("max(held) + min(held)").value, 2.0 * (k + 200))
                self.assertEqual(weft.run("max(a) - min(a)", a=give(k)).value, 0)
        del r, mine, parts
        weft.run("a + 1", a=give(1))
        weft.run("a + 1", a=give(1))
        self.assertTrue(_memory.spare.free or _memory.spare.back or _memory.spare.most < 4 * _memory.LARGE)
        for _ in range(_memory.IDLE + 2):
            weft.run("1 + 1")
        self.assertEqual((len(_memory.spare.free), len(_memory.spare.back)), (0, 0))

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_forks(self):
        """A fork does not write to memory that arrays of the process before it have."""
        n = _memory.LARGE // 8 + 1000
        give = lambda k: weft.array(np.full(n, float(k)), dims=["x"])
        mine = weft.run("a + 1", a=give(1)).value
        weft.run("a + 1", a=give(1))
        pid = os.fork()
        if pid == 0:
            ok = False
            try:
                del mine
                ok = all((weft.run("a + 5", a=give(k)).value == k + 5.0).all() for k in range(4))
            finally:
                os._exit(0 if ok else 1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertTrue((mine == 2.0).all())
        self.assertTrue((weft.run("a + 3", a=give(7)).value == 10.0).all())

    def test_wrong_memory(self):
        """A client whose file is too small, or whose spare file is gone, is told so."""
        client = _client.shared()
        file = os.memfd_create("small") if hasattr(os, "memfd_create") else self.skipTest("no files in memory")
        os.ftruncate(file, 4096)
        given = {"dtype": "float64", "dims": [{"name": "x", "size": 1000}], "path": f"/proc/{os.getpid()}/fd/{file}", "offset": 0}
        for request, says in (
            ({"text": "b = a + 1", "arrays": {"a": given}}, "4096 bytes, and 8000 from byte 0 on are to be read"),
            ({"text": "b = sum(1 + zeros)", "arrays": {"zeros": {**given, "dims": [{"name": "x", "size": 4}], "offset": 4090}}}, "and 32 from byte 4090 on"),
            ({"text": "b = a + 1", "arrays": {"a": {**given, "dims": [{"name": "x", "size": 512}]}}, "spare": ["/proc/0/fd/0"]}, "no such file"),
        ):
            with self.assertRaisesRegex(weft.WeftError, says):
                client.call("run", request)
        os.close(file)


if __name__ == "__main__":
    unittest.main()
