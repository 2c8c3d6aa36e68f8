"""Models with control flow, sequences and optionals in ONNX's text form, and what they are fed.

A feed is given as TYPE[DIMS], for random values, as a list of integers, or as a tuple of such feeds for a sequence.
"""

MODELS = []


def model(name, text, *feeds, opset=17):
    """`feeds`: for each run a dictionary of feeds."""
    MODELS.append((name, f'<ir_version: 8, opset_import: ["" : {opset}]> {name} {text}', feeds))


model("if_dims", """(bool c, float[N, 3] x) => (float[M, 3] y, float[K] s) <int64[1] axis = {0}> {
  y, s = If (c) <
    then_branch = one () => (float[A, 3] a, float[B] b) {
      a = Neg (x)
      b = ReduceSum <keepdims = 0> (x, axis)
    },
    else_branch = other () => (float[C, 3] d, float[D] e) {
      d = Concat <axis = 0> (x, x)
      e = ReduceMax <axes = [0], keepdims = 0> (x)
    }
  >
}""", {"c": [1], "x": "float[2, 3]"}, {"c": [0], "x": "float[2, 3]"})

model("if_known", """(float[2, 3] x) => (float[A, B] y)
  <int64[1] one = {1}, int64[1] two = {2}, int64[1] three = {3}, int64[2] flat = {1, -1}> {
  shape = Shape (x)
  last = Slice (shape, one, two)
  c = Equal (last, three)
  y = If (c) <
    then_branch = short () => (float[2, 3] a) { a = Exp (x) },
    else_branch = long () => (float[1, 6] b) { b = Reshape (x, flat) }
  >
}""", {"x": "float[2, 3]"})

model("if_opset_7", """(bool[1] c, float[2] x) => (float[2] y) {
  y = If (c) <
    then_branch = one () => (float[2] a) { a = Neg (x) },
    else_branch = other () => (float[2] b) { t = Abs (x)  b = Sqrt (t) }
  >
}""", {"c": [1], "x": "float[2]"}, {"c": [0], "x": "float[2]"}, opset=7)

# The rows of each bag: the slice needs to know the number of starts, which follows from the iteration.
model("loop_by_condition", """(float[6, 3] x, int64[4] ends) => (float[K, 3] y)
  <int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}, int64[1] three = {3}> {
  yes = Constant <value = bool {1}> ()
  begin = SequenceEmpty ()
  last, rows = Loop ("", yes, zero, begin) <body = step (int64 i, bool before, int64[1] index, seq(float[A, 3]) old)
      => (bool after, int64[1] next, seq(float[B, 3]) new) {
    next = Add (index, one)
    second = Add (index, two)
    start = Slice (ends, index, next)
    end = Slice (ends, next, second)
    bag = Slice (x, start, end)
    sum = ReduceSum (bag, zero)
    new = SequenceInsert (old, sum)
    less = Less (next, three)
    after = Squeeze (less)
  }>
  y = ConcatFromSequence <axis = 0> (rows)
}""", {"x": "float[6, 3]", "ends": [0, 2, 3, 6]})

LOOP = """(int64 m, float[2, 2] x) => (float[2, 2] last, float[K, 2, 2] all, int64[K] numbers)
  <float[2, 2] w = {0.5, -0.25, 0.125, 0.75}> {
  yes = Constant <value = bool {1}> ()
  last, all, numbers = Loop (m, yes, x) <body = step (int64 i, bool before, float[2, 2] state)
      => (bool after, float[2, 2] next, float[2, 2] kept, int64 number) {
    after = Identity (before)
    product = MatMul (state, w)
    next = Tanh (product)
    kept = Add (next, x)
    number = Identity (i)
  }>
}"""
model("loop_counted", LOOP, {"m": [4], "x": "float[2, 2]"}, {"m": [0], "x": "float[2, 2]"})
model("loop_opset_8", LOOP, {"m": [3], "x": "float[2, 2]"}, opset=8)
model("loop_opset_11", LOOP, {"m": [3], "x": "float[2, 2]"}, opset=11)

model("loop_known_count", """(float[N, 2] x) => (float[N, 2] last, float[3, N, 2] all) {
  m = Constant <value = int64 {3}> ()
  last, all = Loop (m, "", x) <body = step (int64 i, bool before, float[N, 2] state)
      => (bool after, float[N, 2] next, float[N, 2] kept) {
    after = Identity (before)
    next = Sin (state)
    kept = Add (next, x)
  }>
}""", {"x": "float[4, 2]"}, {"x": "float[1, 2]"})

model("loop_condition", """(float[3] x, float limit)
  => (float[3] last, float[K] sums, int64 count) <int64[1] axis = {0}> {
  yes = Constant <value = bool {1}> ()
  zero = Constant <value = int64 {0}> ()
  last, count, sums = Loop ("", yes, x, zero) <body = step (int64 i, bool before, float[3] state, int64 number)
      => (bool after, float[3] next, int64 more, float sum) {
    absolute = Abs (state)
    next = Add (absolute, absolute)
    sum = ReduceSum <keepdims = 0> (next, axis)
    after = Less (sum, limit)
    one = Constant <value = int64 {1}> ()
    more = Add (number, one)
  }>
}""", {"x": "float[3]", "limit": [100]}, {"x": "float[3]", "limit": [0]}, opset=13)

model("loop_both", """(int64 m, bool c, float[2] x) => (float[2] last, float[K, 2] all) {
  last, all = Loop (m, c, x) <body = step (int64 i, bool before, float[2] state)
      => (bool after, float[2] next, float[2] kept) {
    next = Add (state, state)
    kept = Sub (next, x)
    three = Constant <value = int64 {3}> ()
    after = Less (i, three)
  }>
}""", {"m": [9], "c": [1], "x": "float[2]"}, {"m": [2], "c": [1], "x": "float[2]"},
      {"m": [9], "c": [0], "x": "float[2]"})

model("loop_grows", """(int64 m, float[1, 2] x) => (float[N, 2] all, float[K, 2] sums) <int64[1] axis = {0}> {
  yes = Constant <value = bool {1}> ()
  all, sums = Loop (m, yes, x) <body = step (int64 i, bool before, float[A, 2] state)
      => (bool after, float[B, 2] next, float[2] sum) {
    after = Identity (before)
    next = Concat <axis = 0> (state, x)
    sum = ReduceSum <keepdims = 0> (next, axis)
  }>
}""", {"m": [3], "x": "float[1, 2]"}, {"m": [0], "x": "float[1, 2]"})

model("loop_nested", """(int64 m, float[2] x) => (float[2] last, float[K, J] all) <int64[1] axis = {0}> {
  yes = Constant <value = bool {1}> ()
  last, all = Loop (m, yes, x) <body = outer (int64 i, bool before, float[2] state)
      => (bool after, float[2] next, float[J] sums) {
    after = Identity (before)
    two = Constant <value = int64 {2}> ()
    next, sums = Loop (two, yes, state) <body = inner (int64 j, bool b, float[2] s)
        => (bool a, float[2] n, float sum) {
      a = Identity (b)
      even = Mod (i, two)
      isOdd = Cast <to = 9> (even)
      n = If (isOdd) <
        then_branch = odd () => (float[2] o) { o = Sub (s, x) },
        else_branch = even () => (float[2] e) { e = Add (s, x) }
      >
      sum = ReduceSum <keepdims = 0> (n, axis)
    }>
  }>
}""", {"m": [3], "x": "float[2]"})

model("loop_sequence", """(int64 m, float[2, 3] x) => (float[N, 3] y, int64 length) {
  yes = Constant <value = bool {1}> ()
  none = SequenceEmpty ()
  parts, last = Loop (m, yes, none, x) <body = step (int64 i, bool before, seq(float[A, 3]) list, float[2, 3] state)
      => (bool after, seq(float[A, 3]) longer, float[2, 3] next) {
    after = Identity (before)
    next = Neg (state)
    longer = SequenceInsert (list, next)
  }>
  length = SequenceLength (parts)
  y = ConcatFromSequence <axis = 0> (parts)
}""", {"m": [3], "x": "float[2, 3]"})

model("loop_weights", """(float[1, 4] x) => (float[1, 4] y) {
  m = Constant <value = int64 {2}> ()
  y = Loop (m, "", x) <body = step (int64 i, bool before, float[1, 4] state) => (bool after, float[1, 4] next)
      <float[4, 4] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}> {
    after = Identity (before)
    product = MatMul (state, w)
    next = Tanh (product)
  }>
}""", {"x": "float[1, 4]"})

model("scan_axes", """(float[2] a, float[2, T] x, float[T, 3] z) => (float[2] last, float[2, T] p, float[T, 3] q) {
  last, p, q = Scan <num_scan_inputs = 2, scan_input_axes = [1, -2], scan_input_directions = [0, 1],
      scan_output_axes = [-1, 0], scan_output_directions = [1, 0],
      body = step (float[2] state, float[2] u, float[3] v) => (float[2] next, float[2] r, float[3] s) {
    half = Mul (state, u)
    next = Add (half, u)
    r = Neg (next)
    s = Exp (v)
  }> (a, x, z)
}""", {"a": "float[2]", "x": "float[2, 5]", "z": "float[5, 3]"},
      {"a": "float[2]", "x": "float[2, 1]", "z": "float[1, 3]"})

model("scan_opset_9", """(float[2] a, float[4, 2] x) => (float[2] last, float[4, 2] p) {
  last, p = Scan <num_scan_inputs = 1,
      body = step (float[2] state, float[2] u) => (float[2] next, float[2] r) {
    next = Add (state, u)
    r = Mul (next, a)
  }> (a, x)
}""", {"a": "float[2]", "x": "float[4, 2]"}, opset=9)

SCAN_8 = """(int64[B] n, float[B, 2] a, float[B, T, 2] x) => (float[B, 2] last, float[B, T, 2] p) {
  last, p = Scan <num_scan_inputs = 1, directions = [DIRECTION],
      body = step (float[2] state, float[2] u) => (float[2] next, float[2] r) {
    next = Add (state, u)
    r = Mul (next, u)
  }> (n, a, x)
}"""
for direction in (0, 1):
    model(f"scan_opset_8_{direction}", SCAN_8.replace("DIRECTION", str(direction)),
          {"n": [3, 1], "a": "float[2, 2]", "x": "float[2, 4, 2]"}, opset=8)

model("sequence_positions", """(float[2] a, float[3] b, float[1] c, int64 p)
  => (float[N] inserted, float[M] erased, float[K] front, float[J] third) {
  s = SequenceConstruct (a, b)
  t = SequenceInsert (s, c, p)
  inserted = ConcatFromSequence <axis = 0> (t)
  u = SequenceErase (t, p)
  erased = ConcatFromSequence <axis = 0> (u)
  v = SequenceErase (t)
  front = ConcatFromSequence <axis = 0> (v)
  third = SequenceAt (t, p)
}""", *({"a": "float[2]", "b": "float[3]", "c": "float[1]", "p": [p]} for p in (0, 1, -1, -2)))

model("sequence_split", """(float[N, 5] x, int64 size, int64[2] sizes)
  => (float[A, B] first, float[C, 5] second, float[5] third, int64 count, float[L, N] all) {
  byTwo = SplitToSequence <axis = -1> (x, size)
  count = SequenceLength (byTwo)
  last = Constant <value = int64 {-1}> ()
  first = SequenceAt (byTwo, last)
  parts = SplitToSequence <axis = 0> (x, sizes)
  second = SequenceAt (parts, last)
  rows = SplitToSequence <keepdims = 0> (x)
  third = SequenceAt (rows, last)
  columns = SplitToSequence <axis = 1, keepdims = 0> (x)
  all = ConcatFromSequence <axis = 0, new_axis = 1> (columns)
}""", {"x": "float[4, 5]", "size": [2], "sizes": [1, 3]}, {"x": "float[3, 5]", "size": [5], "sizes": [1, 2]})

model("sequence_map", """(float[2, 3] x, float[3] y) => (float[N] sums, int64[K] sizes) {
  rows = SplitToSequence <axis = 1> (x)
  others = SplitToSequence <axis = 0> (y)
  products, shapes = SequenceMap (rows, others, y) <body = each (float[2, 1] a, float[1] b, float[3] c)
      => (float[2, 3] p, int64[2] s) {
    t = Mul (a, b)
    p = Add (t, c)
    s = Shape (p)
  }>
  flat = ConcatFromSequence <axis = 0> (products)
  minus = Constant <value = int64[1] {-1}> ()
  sums = Reshape (flat, minus)
  sizes = ConcatFromSequence <axis = 0> (shapes)
}""", {"x": "float[2, 3]", "y": "float[3]"})

model("optionals", """(bool c, float[3] x) => (bool has, bool never, float[3] y) {
  some = Optional (x)
  none = Optional <type = float[3]> ()
  chosen = If (c) <
    then_branch = full () => (optional(float[3]) a) { a = Identity (some) },
    else_branch = empty () => (optional(float[3]) b) { b = Identity (none) }
  >
  has = OptionalHasElement (chosen)
  never = OptionalHasElement (none)
  y = If (has) <
    then_branch = take () => (float[3] d) { d = OptionalGetElement (chosen) },
    else_branch = other () => (float[3] e) { e = Neg (x) }
  >
}""", {"c": [1], "x": "float[3]"}, {"c": [0], "x": "float[3]"}, opset=18)

model("sequence_interface", """(seq(float[A, B]) s, float[C, 2] x)
  => (seq(float[D, 2]) longer, int64 count, float[E, 2] all) {
  zero = Constant <value = int64 {0}> ()
  longer = SequenceInsert (s, x, zero)
  count = SequenceLength (s)
  all = ConcatFromSequence <axis = 0> (longer)
}""", {"s": ("float[3, 2]", "float[0, 2]", "float[1, 2]"), "x": "float[2, 2]"}, {"s": (), "x": "float[0, 2]"},
      {"s": ("float[4, 2]",), "x": "float[1, 2]"})

model("sequence_of_scalars", """(float[N] x, int64 m) => (seq(float) s, seq(int64) none) {
  s = SplitToSequence <keepdims = 0> (x)
  none = SequenceEmpty <dtype = 7> ()
}""", {"x": "float[3]", "m": [0]})

# Each iteration adds a dimension, which only the loop's known trip count allows.
model("loop_ranks", """(float[2] x) => (float[A, B, C, 2] y, float[3, 2] k) <int64[1] axis = {0}> {
  m = Constant <value = int64 {3}> ()
  yes = Constant <value = bool {1}> ()
  y, k = Loop (m, yes, x) <body = step (int64 i, bool before, float s) => (bool after, float t, float[2] kept) {
    after = Identity (before)
    u = Unsqueeze (s, axis)
    t = Sin (u)
    n = Cast <to = 1> (i)
    kept = Add (x, n)
  }>
}""", {"x": "float[2]"})

# The counter is a vector of one element before the loop, and a scalar after each iteration.
model("loop_scalar", """(float[2, 3] x, int64 m) => (float[A] s, float[B, 2, 3] y) {
  yes = Constant <value = bool {1}> ()
  start = Constant <value = float[1] {0.5}> ()
  s, y = Loop (m, yes, start) <body = step (int64 i, bool before, float[] c) => (bool after, float[] d, float[2, 3] z) {
    after = Identity (before)
    n = Cast <to = 1> (i)
    axes = Constant <value = int64[1] {0}> ()
    flat = Constant <value = int64[0] {}> ()
    one = Reshape (c, flat)
    d = Add (one, n)
    z = Mul (x, d)
  }>
}""", {"x": "float[2, 3]", "m": [4]}, {"x": "float[2, 3]", "m": [1]})

# The first iteration gives a number two dimensions; the number of iterations depends on data.
model("loop_first_ranks", """(int64 limit, float[2, 3] x) => (float[A, B] last, int64 n, float[C, 2, 3] y) {
  m = Constant <value = int64 {1024}> ()
  yes = Constant <value = bool {1}> ()
  unset = Constant <value = float {0}> ()
  zero = Constant <value = int64 {0}> ()
  last, n, y = Loop (m, yes, unset, zero) <body = step (int64 i, bool before, float[A, B] none, int64 sum)
      => (bool after, float[2, 3] set, int64 more, float[2, 3] kept) {
    one = Constant <value = int64 {1}> ()
    next = Add (sum, i)
    more = Add (next, one)
    after = Less (more, limit)
    number = Cast <to = 1> (more)
    set = Add (x, number)
    index = Cast <to = 1> (i)
    kept = Mul (set, index)
  }>
}""", {"x": "float[2, 3]", "limit": [20]}, {"x": "float[2, 3]", "limit": [0]})

model("if_condition_ranks", """(bool c, float[3] x) => (float[3] y) {
  zero = Constant <value = float {0}> ()
  axis = Constant <value = int64[1] {0}> ()
  s = ReduceSum <keepdims = 1> (x, axis)
  t = ReduceSum <keepdims = 0> (x, axis)
  d = If (c) <
    then_branch = one () => (bool[1] a) { a = Less (s, zero) },
    else_branch = other () => (bool b) { b = Less (zero, t) }
  >
  e = Not (d)
  y = If (e) <
    then_branch = minus () => (float[3] f) { f = Neg (x) },
    else_branch = same () => (float[3] g) { g = Identity (x) }
  >
}""", {"c": [1], "x": "float[3]"}, {"c": [0], "x": "float[3]"})

# A function that is an op of ONNX Runtime too, which both import as the op.
model("function_of_runtime", """(float[2, 3] x) => (float[2, 3] y) {
  y = com.microsoft.QuickGelu <alpha = 1.5> (x)
}
<domain: "com.microsoft", opset_import: ["" : 17]> QuickGelu <alpha> (X) => (Y) {
  k = Constant <value_float: float = @alpha> ()
  t = Mul (X, k)
  s = Sigmoid (t)
  Y = Mul (X, s)
}""", {"x": "float[2, 3]"}, opset='17, "com.microsoft" : 1')
