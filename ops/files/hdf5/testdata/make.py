# Makes the files that tests read, with h5py 3: element i of each array is i % 50.
import h5py, numpy as np

def values(dtype, *shape):
    return (np.arange(np.prod(shape)) % 50).reshape(shape).astype(dtype)

for low in "earliest", "v108", "v110":
    with h5py.File(low + ".h5", "w", libver=(low, "v110")) as f:
        for name, dtype in ("i8", "i1"), ("u16", ">u2"), ("i32", "<i4"), ("f32", ">f4"), ("f64", "<f8"), ("c64", "<c8"):
            f["types/" + name] = values(dtype, 3, 4)
        f["types/bool"] = values("i4", 3, 4) % 2 == 1
        f.create_dataset("chunks/deflated", data=values("<f4", 13, 7), chunks=(4, 3), compression="gzip", shuffle=True, fletcher32=True)
        f.create_dataset("chunks/plain", data=values("<i2", 13, 7), chunks=(4, 3))
        f.create_dataset("chunks/single", data=values("<i2", 13, 7), chunks=(13, 7), compression="gzip")
        hole = f.create_dataset("chunks/hole", shape=(13, 7), dtype="<i2", chunks=(4, 3), fillvalue=-1)
        hole[0:4, 0:3] = values("<i2", 13, 7)[0:4, 0:3]
        for i in range(20):
            f["many/name_of_%02d" % i] = values("u1", i + 1)
        time = f.create_dataset("time", data=values("<f8", 3))
        time.make_scale("time")
        f["types/f64"].dims[0].attach_scale(time)
        for i in range(12):
            f["types/f64"].attrs["attribute_%d" % i] = i
        f["types/f64"].attrs["units"] = "mm"
        f["text"] = "hello"
        f["empty"] = np.zeros((0, 3))
        f["number"] = 3.5
        f["types/around"] = f["/"]

with h5py.File("../../mat/testdata/new.mat", "w", userblock_size=512) as f:  # as MATLAB 7.3 writes: extents in the other order
    def variable(name, data, kind):
        f.create_dataset(name, data=data).attrs["MATLAB_class"] = np.bytes_(kind)
    variable("a", values("<f8", 4, 3), "double")
    variable("s/row", values("<f4", 5, 1), "single")
    variable("s/flag", values("u1", 3, 2) % 2, "logical")
    variable("text", np.array([[104], [105]], "<u2"), "char")
    variable("none", np.array([0, 0], "<u8"), "double")
    f["none"].attrs["MATLAB_empty"] = np.uint8(1)
    z = np.zeros((2, 3), [("real", "<f8"), ("imag", "<f8")])
    z["real"], z["imag"] = values("<f8", 2, 3), 1
    variable("z", z, "double")
    g = f.create_group("m")
    g.attrs["MATLAB_sparse"] = np.uint64(4)
    g["data"], g["ir"], g["jc"] = np.array([1.0, 2.0, 3.0]), np.array([0, 2, 3], "<u8"), np.array([0, 2, 2, 3], "<u8")
    f.create_dataset("#refs#/x", data=values("<f8", 2))
    h = f.create_group("#refs#/y")  # of cells: one of a matrix, one of a structure with a cell of numbers, one of two elements
    h.attrs["MATLAB_sparse"] = np.uint64(2)
    h["data"], h["ir"], h["jc"] = np.array([5.0]), np.array([1], "<u8"), np.array([0, 1], "<u8")
    variable("#refs#/z", values("<f8", 1, 3), "double")
    f.create_group("#refs#/s").attrs["MATLAB_class"] = np.bytes_("struct")
    def cell(name, *to):
        d = f.create_dataset(name, (len(to), 1), dtype=h5py.ref_dtype)
        for i, t in enumerate(to):
            d[i, 0] = f[t].ref
        d.attrs["MATLAB_class"] = np.bytes_("cell")
    cell("s/dose", "#refs#/y")
    cell("#refs#/s/deep", "#refs#/z")
    cell("outer", "#refs#/s")
    cell("two", "#refs#/x", "#refs#/z")
with open("../../mat/testdata/new.mat", "r+b") as f:
    f.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")
