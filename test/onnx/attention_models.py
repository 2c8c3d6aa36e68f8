"""Models of attention in ONNX's text form, as exporters write it, and what they are fed.

There are enough queries for the tiled kernel of the CPU. Conditions are false for all keys of some queries.
"""

MODELS = []
QUERIES = 40
FEEDS = {"q": f"float[2, 3, {QUERIES}, 8]", "k": f"float[2, 3, {QUERIES}, 8]", "v": f"float[2, 3, {QUERIES}, 5]",
         "m": f"float[1, 1, {QUERIES}, {QUERIES}]", "r": f"float[2, 1, {QUERIES}, 1]"}


def model(name, mask, constants="", feeds=None):
    """`mask` computes the operand w of the softmax from the products s and a condition c."""
    feeds = feeds or FEEDS
    inputs = ", ".join(f"{dims} {feed}" for feed, dims in feeds.items())
    text = f"""<ir_version: 8, opset_import: ["" : 17]> {name} ({inputs}) => (float[A, B, C, D] y)
      <float scale = {{2.5}}, float limit = {{0.9}}, float zero = {{0.0}}, float one = {{1.0}}{constants}> {{
  t = Transpose <perm = [0, 1, 3, 2]> (k)
  s = MatMul (q, t)
  places = Add (m, r)
  c = Less (places, limit)
  {mask}
  p = Softmax <axis = -1> (w)
  y = MatMul (p, v)
}}"""
    MODELS.append((name, text, [feeds]))


for number, fill in enumerate(("-10000.0", "-1000000000.0", "-3.4028234e38", "0.5")):
    constant = f", float fill = {{{fill}}}"
    model(f"where_{number}", "x = Mul (s, scale) w = Where (c, x, fill)", constant)
    model(f"masked_fill_{number}", "d = Not (c) x = Mul (s, scale) w = Where (d, fill, x)", constant)
    model(f"scaled_after_{number}", "x = Where (c, s, fill) w = Mul (x, scale)", constant)
    model(f"added_{number}", "x = Mul (s, scale) n = Where (c, zero, fill) w = Add (x, n)", constant)
    model(f"with_bias_{number}", "b = Add (s, m) w = Where (c, b, fill)", constant)
    # As GPT-2 wrote a mask of ones and zeros.
    model(f"multiplied_{number}",
          "f = Cast <to = 1> (c) x = Mul (s, f) g = Sub (one, f) n = Mul (g, fill) w = Add (x, n)", constant)

LARGE = {"q": "float[1, 2, 300, 8]", "k": "float[1, 2, 300, 8]", "v": "float[1, 2, 300, 8]",
         "m": "float[1, 1, 300, 300]", "r": "float[1, 1, 300, 1]"}
SQUARE = ", int64[2] dims = {300, 300}, int64 first = {1}, int64 before = {-40}, float low = {-3.4028234e38}"
BAND = """ones = ConstantOfShape <value = float[1] {1.0}> (dims)
  lower = Trilu <upper = 0> (ones, before) full = Trilu <upper = 0> (ones)
  band = Sub (full, lower) b = Cast <to = 9> (band)"""
model("window", f"{BAND} w = Where (b, s, low)", SQUARE, feeds=LARGE)
model("window_added", f"{BAND} n = Where (b, zero, low) w = Add (s, n)", SQUARE, feeds=LARGE)
model("causal_infinite", "ones = ConstantOfShape <value = float[1] {1.0}> (dims) "
      "upper = Trilu <upper = 1> (ones, first) b = Cast <to = 9> (upper) n = Neg (one) l = Div (n, zero) "
      "w = Where (b, l, s)", SQUARE, feeds=LARGE)
model("alibi", "n = Mul (slopes, m) w = Add (s, n)", ", float[3, 1, 1] slopes = {-0.5, -0.25, -0.125}")
model("soft_cap", "x = Div (s, cap) h = Tanh (x) u = Mul (h, cap) w = Add (u, m)", ", float cap = {2.0}")
