"""Applies relu before the bias is added.

zh: 在加偏置之前就做了 relu。
task: dense
says: order
"""


def dense(main, startup, x, size):
    for name, shape in (("w", [x.shape[1], size]), ("b", [size])):
        main.create_parameter(name=name, shape=shape, dtype="float32")
        first = startup.create_parameter(name=name, shape=shape, dtype="float32")
        attrs = {"shape": shape, "dtype": "float32", "value": 1.0}
        startup.append_op(type="fill_constant", outputs={"Out": first}, attrs=attrs)
    w, b = main.var("w"), main.var("b")
    xw, t, y = (main.create_var(name=n, dtype="float32") for n in ("xw", "t", "y"))
    main.append_op(type="mul", inputs={"X": x, "Y": w}, outputs={"Out": xw})
    main.append_op(type="relu", inputs={"X": xw}, outputs={"Out": t})
    pair = {"X": t, "Y": b}
    main.append_op(type="elementwise_add", inputs=pair, outputs={"Out": y})
    return y
