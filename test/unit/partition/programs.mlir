// Programs in sharded form that partition-test runs on simulated meshes. The test replaces the sizes of the mesh.
dist.mesh @m = <["x"=2, "y"=2]>

#scalar = #dist.sharding<@m, []>
#scalar_sum_x = #dist.sharding<@m, [], partial = [sum {"x"}]>
#vector = #dist.sharding<@m, [{}]>
#vector_x = #dist.sharding<@m, [{"x"}]>
#vector_y = #dist.sharding<@m, [{"y"}]>
#vector_sum = #dist.sharding<@m, [{}], partial = [sum {"x"}]>
#whole = #dist.sharding<@m, [{}, {}]>
#rows = #dist.sharding<@m, [{"x"}, {}]>
#columns = #dist.sharding<@m, [{}, {"y"}]>
#rows_y = #dist.sharding<@m, [{"y"}, {}]>
#grid = #dist.sharding<@m, [{"x"}, {"y"}]>
#both = #dist.sharding<@m, [{"x", "y"}, {}]>
#rows_sum = #dist.sharding<@m, [{"x"}, {}], partial = [sum {"y"}]>
#sum_xy = #dist.sharding<@m, [{}, {}], partial = [sum {"x", "y"}]>

// The layers of Megatron: columns, then rows, then one reduction. All shards are uneven.
func.func @megatron(%x: tensor<5x7xf32> {dist.sharding = #rows}, %w: tensor<7x5xf32> {dist.sharding = #columns},
                    %b: tensor<5xf32> {dist.sharding = #vector_y}, %v: tensor<5x3xf32> {dist.sharding = #rows_y})
    -> (tensor<5x3xf32> {dist.sharding = #rows}) {
  %0 = pd.matmul %x, %w {dist.shardings = [#grid]} : (tensor<5x7xf32>, tensor<7x5xf32>) -> tensor<5x5xf32>
  %1 = pd.add %0, %b {dist.shardings = [#grid]} : (tensor<5x5xf32>, tensor<5xf32>) -> tensor<5x5xf32>
  %2 = pd.gelu %1 {dist.shardings = [#grid]} : (tensor<5x5xf32>) -> tensor<5x5xf32>
  %3 = pd.matmul %2, %v {dist.shardings = [#rows_sum]} : (tensor<5x5xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  %4 = dist.reshard %3 from <@m, [{"x"}, {}], partial = [sum {"y"}]> to <@m, [{"x"}, {}]> : tensor<5x3xf32>
  return %4 : tensor<5x3xf32>
}

// A linear op passes terms of a sum over y, and has a split dimension of its own.
func.func @terms(%x: tensor<4x5xf32> {dist.sharding = #dist.sharding<@m, [{}, {}], partial = [sum {"y"}]>},
                 %w: tensor<5x3xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x"}]>})
    -> (tensor<4x3xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x"}], partial = [sum {"y"}]>}, tensor<5x4xf32> {dist.sharding = #whole}) {
  %0 = pd.matmul %x, %w {dist.shardings = [#dist.sharding<@m, [{}, {"x"}], partial = [sum {"y"}]>]}
         : (tensor<4x5xf32>, tensor<5x3xf32>) -> tensor<4x3xf32>
  %1 = pd.transpose %x {perm = array<i64: 1, 0>, dist.shardings = [#dist.sharding<@m, [{}, {}], partial = [sum {"y"}]>]}
         : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %2 = pd.add %1, %1 {dist.shardings = [#dist.sharding<@m, [{}, {}], partial = [sum {"y"}]>]} : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  %3 = dist.reshard %2 from <@m, [{}, {}], partial = [sum {"y"}]> to <@m, [{}, {}]> : tensor<5x4xf32>
  return %0, %3 : tensor<4x3xf32>, tensor<5x4xf32>
}

// A mean of terms, with a replicated addend.
func.func @average(%x: tensor<6xf32> {dist.sharding = #dist.sharding<@m, [{}], partial = [avg {"x"}]>},
                   %y: tensor<6xf32> {dist.sharding = #vector}) -> (tensor<6xf32> {dist.sharding = #vector_x}) {
  %0 = pd.add %x, %y {dist.shardings = [#dist.sharding<@m, [{}], partial = [avg {"x"}]>]} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %1 = dist.reshard %0 from <@m, [{}], partial = [avg {"x"}]> to <@m, [{"x"}]> : tensor<6xf32>
  return %1 : tensor<6xf32>
}

// The contraction is over two axes: terms over both.
func.func @contraction(%x: tensor<4x13xf32> {dist.sharding = #dist.sharding<@m, [{}, {"y", "x"}]>},
                       %w: tensor<13x3xf32> {dist.sharding = #dist.sharding<@m, [{"y", "x"}, {}]>})
    -> (tensor<4x3xf32> {dist.sharding = #whole}, tensor<4x3xf32> {dist.sharding = #dist.sharding<@m, [{"y"}, {"x"}]>}) {
  %0 = pd.matmul %x, %w {dist.shardings = [#sum_xy]} : (tensor<4x13xf32>, tensor<13x3xf32>) -> tensor<4x3xf32>
  %1 = dist.reshard %0 from <@m, [{}, {}], partial = [sum {"x", "y"}]> to <@m, [{}, {}]> : tensor<4x3xf32>
  %2 = dist.reshard %0 from <@m, [{}, {}], partial = [sum {"x", "y"}]> to <@m, [{"y"}, {"x"}]> : tensor<4x3xf32>
  return %1, %2 : tensor<4x3xf32>, tensor<4x3xf32>
}

// Two axes on one dimension; shards of different sizes; a reshape that splits another dimension.
func.func @uneven(%x: tensor<13x6xf32> {dist.sharding = #both})
    -> (tensor<13x2x3xf32> {dist.sharding = #dist.sharding<@m, [{"x", "y"}, {}, {}]>}, tensor<13xf32> {dist.sharding = #dist.sharding<@m, [{"x", "y"}]>}) {
  %0 = pd.exp %x {dist.shardings = [#both]} : (tensor<13x6xf32>) -> tensor<13x6xf32>
  %1 = pd.reshape %0 {shape = array<i64: 13, 2, 3>, dist.shardings = [#dist.sharding<@m, [{"x", "y"}, {}, {}]>]}
         : (tensor<13x6xf32>) -> tensor<13x2x3xf32>
  %2 = pd.max %0 {axis = array<i64: 1>, dist.shardings = [#dist.sharding<@m, [{"x", "y"}]>]} : (tensor<13x6xf32>) -> tensor<13xf32>
  return %1, %2 : tensor<13x2x3xf32>, tensor<13xf32>
}

// Fewer rows than devices: some shards are empty.
func.func @empty_shards(%x: tensor<3x4xf32> {dist.sharding = #both}) -> (tensor<3x4xf32> {dist.sharding = #both}, tensor<4xf32> {dist.sharding = #vector}) {
  %0 = pd.tanh %x {dist.shardings = [#both]} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = pd.sum %0 {axis = array<i64: 0>, dist.shardings = [#dist.sharding<@m, [{}], partial = [sum {"x", "y"}]>]} : (tensor<3x4xf32>) -> tensor<4xf32>
  %2 = dist.reshard %1 from <@m, [{}], partial = [sum {"x", "y"}]> to <@m, [{}]> : tensor<4xf32>
  return %0, %2 : tensor<3x4xf32>, tensor<4xf32>
}

// Two dims of the reshape are dynamic in the program for all devices: it runs whole.
func.func @two_uneven_dims(%x: tensor<9x5x6xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}, {}]>})
    -> (tensor<9x5x2x3xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}, {}, {}]>}) {
  %0 = pd.reshape %x {shape = array<i64: 9, 5, 2, 3>, dist.shardings = [#dist.sharding<@m, [{"x"}, {"y"}, {}, {}]>]}
         : (tensor<9x5x6xf32>) -> tensor<9x5x2x3xf32>
  return %0 : tensor<9x5x2x3xf32>
}

// Merged dimensions, the outer one split; then split again.
func.func @merge(%x: tensor<6x4xf32> {dist.sharding = #rows}) -> (tensor<24xf32> {dist.sharding = #vector_x}, tensor<6x4xf32> {dist.sharding = #rows}) {
  %0 = pd.reshape %x {shape = array<i64: 24>, dist.shardings = [#vector_x]} : (tensor<6x4xf32>) -> tensor<24xf32>
  %1 = pd.reshape %0 {shape = array<i64: -1, 4>, dist.shardings = [#rows]} : (tensor<24xf32>) -> tensor<6x4xf32>
  return %0, %1 : tensor<24xf32>, tensor<6x4xf32>
}

// All kinds of reductions of shards.
func.func @reductions(%x: tensor<7x3xf32> {dist.sharding = #rows}, %p: tensor<7x3xi1> {dist.sharding = #rows})
    -> (tensor<3xf32> {dist.sharding = #vector}, tensor<3xf32> {dist.sharding = #vector}, tensor<3xf32> {dist.sharding = #vector_x}, tensor<3xf32> {dist.sharding = #vector},
        tensor<3xi1> {dist.sharding = #vector}, tensor<3xi1> {dist.sharding = #vector_x}) {
  %0 = pd.max %x {axis = array<i64: 0>, dist.shardings = [#dist.sharding<@m, [{}], partial = [max {"x"}]>]} : (tensor<7x3xf32>) -> tensor<3xf32>
  %1 = pd.min %x {axis = array<i64: 0>, dist.shardings = [#dist.sharding<@m, [{}], partial = [min {"x"}]>]} : (tensor<7x3xf32>) -> tensor<3xf32>
  %2 = pd.prod %x {axis = array<i64: 0>, dist.shardings = [#dist.sharding<@m, [{}], partial = [prod {"x"}]>]} : (tensor<7x3xf32>) -> tensor<3xf32>
  %3 = pd.sum %x {axis = array<i64: 0>, dist.shardings = [#vector_sum]} : (tensor<7x3xf32>) -> tensor<3xf32>
  %4 = pd.any %p {axis = array<i64: 0>, dist.shardings = [#dist.sharding<@m, [{}], partial = [any {"x"}]>]} : (tensor<7x3xi1>) -> tensor<3xi1>
  %5 = pd.all %p {axis = array<i64: 0>, dist.shardings = [#dist.sharding<@m, [{}], partial = [all {"x"}]>]} : (tensor<7x3xi1>) -> tensor<3xi1>
  %6 = dist.reshard %0 from <@m, [{}], partial = [max {"x"}]> to <@m, [{}]> : tensor<3xf32>
  %7 = dist.reshard %1 from <@m, [{}], partial = [min {"x"}]> to <@m, [{}]> : tensor<3xf32>
  %8 = dist.reshard %2 from <@m, [{}], partial = [prod {"x"}]> to <@m, [{"x"}]> : tensor<3xf32>
  %9 = dist.reshard %3 from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<3xf32>
  %10 = dist.reshard %4 from <@m, [{}], partial = [any {"x"}]> to <@m, [{}]> : tensor<3xi1>
  %11 = dist.reshard %5 from <@m, [{}], partial = [all {"x"}]> to <@m, [{"x"}]> : tensor<3xi1>
  return %6, %7, %8, %9, %10, %11 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi1>
}

// Values that attributes define, with even and uneven shards. Random numbers are as on one device.
func.func @creation(%bias: tensor<5xf32> {dist.sharding = #vector_y}) -> (tensor<9x5xf32> {dist.sharding = #grid}, tensor<9xf32> {dist.sharding = #vector_sum}) {
  %0 = pd.full {shape = array<i64: 9, 5>, dtype = f32, value = 2.0 : f64, dist.shardings = [#grid]} : () -> tensor<9x5xf32>
  %1 = pd.constant {dist.shardings = [#grid]} dense<3.0> : tensor<9x5xf32>
  %2 = pd.constant {dist.shardings = [#vector_y]} dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %3 = pd.uniform {shape = array<i64: 9, 5>, dtype = f32, seed = 7 : i64, dist.shardings = [#grid]} : () -> tensor<9x5xf32>
  %4 = pd.expand %bias {shape = array<i64: 9, 5>, dist.shardings = [#grid]} : (tensor<5xf32>) -> tensor<9x5xf32>
  %5 = pd.add %0, %1 {dist.shardings = [#grid]} : (tensor<9x5xf32>, tensor<9x5xf32>) -> tensor<9x5xf32>
  %6 = pd.multiply %5, %3 {dist.shardings = [#grid]} : (tensor<9x5xf32>, tensor<9x5xf32>) -> tensor<9x5xf32>
  %7 = pd.subtract %6, %4 {dist.shardings = [#grid]} : (tensor<9x5xf32>, tensor<9x5xf32>) -> tensor<9x5xf32>
  %8 = pd.multiply %7, %2 {dist.shardings = [#grid]} : (tensor<9x5xf32>, tensor<5xf32>) -> tensor<9x5xf32>
  %9 = pd.full {shape = array<i64: 9>, dtype = f32, value = 4.0 : f64, dist.shardings = [#vector_sum]} : () -> tensor<9xf32>
  return %8, %9 : tensor<9x5xf32>, tensor<9xf32>
}

// Every kind of step between shardings.
func.func @moves(%x: tensor<9x7xf32> {dist.sharding = #whole}) -> (tensor<9x7xf32> {dist.sharding = #rows}) {
  %0 = dist.reshard %x from <@m, [{}, {}]> to <@m, [{"x"}, {"y"}]> : tensor<9x7xf32>
  %1 = pd.exp %0 {dist.shardings = [#grid]} : (tensor<9x7xf32>) -> tensor<9x7xf32>
  %2 = dist.reshard %1 from <@m, [{"x"}, {"y"}]> to <@m, [{"y"}, {"x"}]> : tensor<9x7xf32>
  %3 = pd.relu %2 {dist.shardings = [#dist.sharding<@m, [{"y"}, {"x"}]>]} : (tensor<9x7xf32>) -> tensor<9x7xf32>
  %4 = dist.reshard %3 from <@m, [{"y"}, {"x"}]> to <@m, [{}, {"x"}]> : tensor<9x7xf32>
  %5 = dist.reshard %4 from <@m, [{}, {"x"}]> to <@m, [{}, {}], partial = [sum {"x"}]> : tensor<9x7xf32>
  %6 = dist.reshard %5 from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{"x"}, {}]> : tensor<9x7xf32>
  return %6 : tensor<9x7xf32>
}

// Branch, loop and call. Conditions are replicated.
func.func @regions(%x: tensor<5x6xf32> {dist.sharding = #rows}, %n: tensor<f32> {dist.sharding = #scalar}) -> (tensor<5x6xf32> {dist.sharding = #rows}) {
  %zero = pd.constant {dist.shardings = [#scalar]} dense<0.0> : tensor<f32>
  %c = pd.less_than %zero, %n {dist.shardings = [#scalar]} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %p = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %p -> tensor<5x6xf32> {
    %y = func.call @helper(%x) : (tensor<5x6xf32>) -> tensor<5x6xf32>
    scf.yield %y : tensor<5x6xf32>
  } else {
    %y = pd.exp %x {dist.shardings = [#rows]} : (tensor<5x6xf32>) -> tensor<5x6xf32>
    scf.yield %y : tensor<5x6xf32>
  } {dist.shardings = [#rows]}
  %1 = scf.while (%a = %0) : (tensor<5x6xf32>) -> tensor<5x6xf32> {
    %s = pd.sum %a {dist.shardings = [#scalar_sum_x]} : (tensor<5x6xf32>) -> tensor<f32>
    %t = dist.reshard %s from <@m, [], partial = [sum {"x"}]> to <@m, []> : tensor<f32>
    %u = pd.abs %t {dist.shardings = [#scalar]} : (tensor<f32>) -> tensor<f32>
    %limit = pd.constant {dist.shardings = [#scalar]} dense<300.0> : tensor<f32>
    %d = pd.less_than %u, %limit {dist.shardings = [#scalar]} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %b = tensor.extract %d[] : tensor<i1>
    scf.condition(%b) %a : tensor<5x6xf32>
  } do {
  ^bb0(%a: tensor<5x6xf32>):
    %one = pd.constant {dist.shardings = [#rows]} dense<1.0> : tensor<5x6xf32>
    %y = pd.add %a, %a {dist.shardings = [#rows]} : (tensor<5x6xf32>, tensor<5x6xf32>) -> tensor<5x6xf32>
    %z = pd.add %y, %one {dist.shardings = [#rows]} : (tensor<5x6xf32>, tensor<5x6xf32>) -> tensor<5x6xf32>
    scf.yield %z : tensor<5x6xf32>
  } attributes {dist.shardings = [#rows]}
  return %1 : tensor<5x6xf32>
}

func.func private @helper(%x: tensor<5x6xf32> {dist.sharding = #rows}) -> (tensor<5x6xf32> {dist.sharding = #rows}) {
  %0 = pd.tanh %x {dist.shardings = [#rows]} : (tensor<5x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// A training step with data parallelism: batch over x, two weights, gradients reduced over x. Forward and backward of
// out = relu(x w) v, loss = sum(out^2) / 2.
func.func @data_parallel(%x: tensor<7x4xf32> {dist.sharding = #rows}, %w: tensor<4x5xf32> {dist.sharding = #whole}, %v: tensor<5x2xf32> {dist.sharding = #whole})
    -> (tensor<4x5xf32> {dist.sharding = #whole}, tensor<5x2xf32> {dist.sharding = #whole}, tensor<f32> {dist.sharding = #scalar}) {
  %0 = pd.matmul %x, %w {dist.shardings = [#rows]} : (tensor<7x4xf32>, tensor<4x5xf32>) -> tensor<7x5xf32>
  %1 = pd.relu %0 {dist.shardings = [#rows]} : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %2 = pd.matmul %1, %v {dist.shardings = [#rows]} : (tensor<7x5xf32>, tensor<5x2xf32>) -> tensor<7x2xf32>
  %3 = pd.multiply %2, %2 {dist.shardings = [#rows]} : (tensor<7x2xf32>, tensor<7x2xf32>) -> tensor<7x2xf32>
  %4 = pd.sum %3 {dist.shardings = [#scalar_sum_x]} : (tensor<7x2xf32>) -> tensor<f32>
  %loss = dist.reshard %4 from <@m, [], partial = [sum {"x"}]> to <@m, []> : tensor<f32>
  %5 = pd.matmul %1, %2 {transpose_x = true, dist.shardings = [#dist.sharding<@m, [{}, {}], partial = [sum {"x"}]>]} : (tensor<7x5xf32>, tensor<7x2xf32>) -> tensor<5x2xf32>
  %dv = dist.reshard %5 from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]> : tensor<5x2xf32>
  %6 = pd.matmul %2, %v {transpose_y = true, dist.shardings = [#rows]} : (tensor<7x2xf32>, tensor<5x2xf32>) -> tensor<7x5xf32>
  %7 = pd.sign %1 {dist.shardings = [#rows]} : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %8 = pd.multiply %6, %7 {dist.shardings = [#rows]} : (tensor<7x5xf32>, tensor<7x5xf32>) -> tensor<7x5xf32>
  %9 = pd.matmul %x, %8 {transpose_x = true, dist.shardings = [#dist.sharding<@m, [{}, {}], partial = [sum {"x"}]>]} : (tensor<7x4xf32>, tensor<7x5xf32>) -> tensor<4x5xf32>
  %dw = dist.reshard %9 from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {}]> : tensor<4x5xf32>
  %rate = pd.full {shape = array<i64: 1>, dtype = f32, value = 0.1 : f64, dist.shardings = [#vector]} : () -> tensor<1xf32>
  %sw = pd.multiply %dw, %rate {dist.shardings = [#whole]} : (tensor<4x5xf32>, tensor<1xf32>) -> tensor<4x5xf32>
  %sv = pd.multiply %dv, %rate {dist.shardings = [#whole]} : (tensor<5x2xf32>, tensor<1xf32>) -> tensor<5x2xf32>
  %nw = pd.subtract %w, %sw {dist.shardings = [#whole]} : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %nv = pd.subtract %v, %sv {dist.shardings = [#whole]} : (tensor<5x2xf32>, tensor<5x2xf32>) -> tensor<5x2xf32>
  return %nw, %nv, %loss : tensor<4x5xf32>, tensor<5x2xf32>, tensor<f32>
}

// Even shards, for the optimizations of collectives: gradients of three weights, two of them of shards over y, and the
// update of one that runs on shards.
func.func @buckets(%x: tensor<4x6xf32> {dist.sharding = #rows}, %w: tensor<6x12xf32> {dist.sharding = #columns}, %b: tensor<12xf32> {dist.sharding = #vector},
                   %v: tensor<12x6xf32> {dist.sharding = #rows_y})
    -> (tensor<6x12xf32> {dist.sharding = #columns}, tensor<12xf32> {dist.sharding = #vector}, tensor<12x6xf32> {dist.sharding = #rows_y}, tensor<6x6xf32> {dist.sharding = #rows},
        tensor<6x12xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x"}]>}) {
  %0 = pd.matmul %x, %w {dist.shardings = [#grid]} : (tensor<4x6xf32>, tensor<6x12xf32>) -> tensor<4x12xf32>
  %1 = pd.matmul %x, %0 {transpose_x = true, dist.shardings = [#dist.sharding<@m, [{}, {"y"}], partial = [sum {"x"}]>]} : (tensor<4x6xf32>, tensor<4x12xf32>) -> tensor<6x12xf32>
  %2 = dist.reshard %1 from <@m, [{}, {"y"}], partial = [sum {"x"}]> to <@m, [{}, {"y"}]> : tensor<6x12xf32>
  %3 = pd.subtract %w, %2 {dist.shardings = [#columns]} : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xf32>
  %4 = dist.reshard %0 from <@m, [{"x"}, {"y"}]> to <@m, [{"x"}, {}]> : tensor<4x12xf32>
  %5 = pd.sum %4 {axis = array<i64: 0>, dist.shardings = [#vector_sum]} : (tensor<4x12xf32>) -> tensor<12xf32>
  %6 = dist.reshard %5 from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<12xf32>
  %7 = pd.exp %6 {dist.shardings = [#vector]} : (tensor<12xf32>) -> tensor<12xf32>
  %8 = pd.multiply %7, %b {dist.shardings = [#vector]} : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
  %9 = pd.matmul %0, %x {transpose_x = true, dist.shardings = [#dist.sharding<@m, [{"y"}, {}], partial = [sum {"x"}]>]} : (tensor<4x12xf32>, tensor<4x6xf32>) -> tensor<12x6xf32>
  %10 = dist.reshard %9 from <@m, [{"y"}, {}], partial = [sum {"x"}]> to <@m, [{"y"}, {}]> : tensor<12x6xf32>
  %11 = pd.tanh %v {dist.shardings = [#rows_y]} : (tensor<12x6xf32>) -> tensor<12x6xf32>
  %12 = pd.add %10, %11 {dist.shardings = [#rows_y]} : (tensor<12x6xf32>, tensor<12x6xf32>) -> tensor<12x6xf32>
  %13 = pd.matmul %x, %x {transpose_x = true, dist.shardings = [#dist.sharding<@m, [{}, {}], partial = [sum {"x"}]>]} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<6x6xf32>
  %14 = dist.reshard %13 from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{"x"}, {}]> : tensor<6x6xf32>
  %15 = pd.matmul %x, %4 {transpose_x = true, dist.shardings = [#dist.sharding<@m, [{}, {}], partial = [sum {"x"}]>]} : (tensor<4x6xf32>, tensor<4x12xf32>) -> tensor<6x12xf32>
  %16 = dist.reshard %15 from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{}, {"x"}]> : tensor<6x12xf32>
  return %3, %8, %12, %14, %16 : tensor<6x12xf32>, tensor<12xf32>, tensor<12x6xf32>, tensor<6x6xf32>, tensor<6x12xf32>
}

// Weights in shards that a loop gathers in each iteration.
func.func @gather_in_loop(%x: tensor<4x6xf32> {dist.sharding = #rows}, %w: tensor<6x6xf32> {dist.sharding = #rows_y}, %v: tensor<6x6xf32> {dist.sharding = #columns})
    -> (tensor<4x6xf32> {dist.sharding = #rows}) {
  %0 = scf.while (%a = %x) : (tensor<4x6xf32>) -> tensor<4x6xf32> {
    %s = pd.sum %a {dist.shardings = [#scalar_sum_x]} : (tensor<4x6xf32>) -> tensor<f32>
    %t = dist.reshard %s from <@m, [], partial = [sum {"x"}]> to <@m, []> : tensor<f32>
    %u = pd.abs %t {dist.shardings = [#scalar]} : (tensor<f32>) -> tensor<f32>
    %limit = pd.constant {dist.shardings = [#scalar]} dense<200.0> : tensor<f32>
    %d = pd.less_than %u, %limit {dist.shardings = [#scalar]} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %b = tensor.extract %d[] : tensor<i1>
    scf.condition(%b) %a : tensor<4x6xf32>
  } do {
  ^bb0(%a: tensor<4x6xf32>):
    %e = pd.abs %w {dist.shardings = [#rows_y]} : (tensor<6x6xf32>) -> tensor<6x6xf32>
    %1 = dist.reshard %e from <@m, [{"y"}, {}]> to <@m, [{}, {}]> : tensor<6x6xf32>
    %2 = dist.reshard %v from <@m, [{}, {"y"}]> to <@m, [{}, {}]> : tensor<6x6xf32>
    %3 = pd.matmul %a, %1 {dist.shardings = [#rows]} : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
    %4 = pd.abs %3 {dist.shardings = [#rows]} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %5 = pd.matmul %4, %2 {dist.shardings = [#rows]} : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
    %6 = pd.abs %5 {dist.shardings = [#rows]} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %one = pd.constant {dist.shardings = [#rows]} dense<1.0> : tensor<4x6xf32>
    %7 = pd.add %6, %one {dist.shardings = [#rows]} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    scf.yield %7 : tensor<4x6xf32>
  } attributes {dist.shardings = [#rows]}
  return %0 : tensor<4x6xf32>
}

// Local dims of size 1 are shards of dimension 0, and broadcast in dimension 1.
func.func @unit_shards(%x: tensor<2x6xf32> {dist.sharding = #rows_sum}, %s: tensor<2x1xf32> {dist.sharding = #rows}, %z: tensor<2x6xf32> {dist.sharding = #rows})
    -> (tensor<2x6xf32> {dist.sharding = #rows}) {
  %0 = dist.reshard %x from <@m, [{"x"}, {}], partial = [sum {"y"}]> to <@m, [{"x"}, {}]> : tensor<2x6xf32>
  %1 = pd.multiply %0, %s {dist.shardings = [#rows]} : (tensor<2x6xf32>, tensor<2x1xf32>) -> tensor<2x6xf32>
  %2 = pd.add %1, %z {dist.shardings = [#rows]} : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  return %2 : tensor<2x6xf32>
}

// Ops whose splits need communication inside of the op: a scan, the index of the largest element, and rows of a table
// that is split.
func.func @local_forms(%x: tensor<5x7xf32> {dist.sharding = #grid}, %table: tensor<9x4xf32> {dist.sharding = #dist.sharding<@m, [{"y"}, {}]>},
                       %index: tensor<6xi64> {dist.sharding = #vector_x}, %long: tensor<11xf32> {dist.sharding = #dist.sharding<@m, [{"x", "y"}]>})
    -> (tensor<5x7xf32> {dist.sharding = #grid}, tensor<5xi64> {dist.sharding = #vector_x}, tensor<6x4xf32> {dist.sharding = #rows}, tensor<11xf32> {dist.sharding = #dist.sharding<@m, [{"x", "y"}]>}) {
  %0 = pd.cumsum %x {axis = 1 : i64, dist.shardings = [#grid]} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = pd.argmax %x {axis = 1 : i64, dist.shardings = [#vector_x]} : (tensor<5x7xf32>) -> tensor<5xi64>
  %2 = pd.gather %table, %index {axis = 0 : i64, dist.shardings = [#rows_sum]} : (tensor<9x4xf32>, tensor<6xi64>) -> tensor<6x4xf32>
  %3 = dist.reshard %2 from <@m, [{"x"}, {}], partial = [sum {"y"}]> to <@m, [{"x"}, {}]> : tensor<6x4xf32>
  %4 = pd.cumsum %long {axis = 0 : i64, dist.shardings = [#dist.sharding<@m, [{"x", "y"}]>]} : (tensor<11xf32>) -> tensor<11xf32>
  return %0, %1, %3, %4 : tensor<5x7xf32>, tensor<5xi64>, tensor<6x4xf32>, tensor<11xf32>
}

// Formulas over split classes and features: maxima and sums of the shards are combined, and the device that has the
// class of a label gives its logit.
func.func @classes(%x: tensor<4x12xf32> {dist.sharding = #grid}, %label: tensor<4x1xi64> {dist.sharding = #rows},
                   %s: tensor<12xf32> {dist.sharding = #vector_y}, %image: tensor<6x4x5xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}, {}]>},
                   %c: tensor<4xf32> {dist.sharding = #vector_y})
    -> (tensor<4x12xf32> {dist.sharding = #grid}, tensor<4x1xf32> {dist.sharding = #rows}, tensor<4x12xf32> {dist.sharding = #grid},
        tensor<6x4x5xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}, {}]>}, tensor<4xf32> {dist.sharding = #vector_y}) {
  %0 = pd.softmax %x {axis = 1 : i64, dist.shardings = [#grid]} : (tensor<4x12xf32>) -> tensor<4x12xf32>
  %1:2 = pd.cross_entropy_with_softmax %x, %label {dist.shardings = [#grid, #rows]} : (tensor<4x12xf32>, tensor<4x1xi64>) -> (tensor<4x12xf32>, tensor<4x1xf32>)
  %2:3 = pd.layer_norm %x scale = %s bias = %s {dist.shardings = [#grid, #vector_x, #vector_x]} : (tensor<4x12xf32>, tensor<12xf32>, tensor<12xf32>) -> (tensor<4x12xf32>, tensor<4xf32>, tensor<4xf32>)
  %3:6 = pd.batch_norm %image, %c, %c scale = %c bias = %c {dist.shardings = [#dist.sharding<@m, [{"x"}, {"y"}, {}]>, #vector_y, #vector_y, #vector_y, #vector_y, #vector]} : (tensor<6x4x5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<6x4x5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>)
  return %0, %1#1, %2#0, %3#0, %3#3 : tensor<4x12xf32>, tensor<4x1xf32>, tensor<4x12xf32>, tensor<6x4x5xf32>, tensor<4xf32>
}

// Sequence parallelism: rows are gathered before the first product, and the sum of the second is split into rows. Both
// collectives can be rings, over one axis and over two.
func.func @rings(%x: tensor<12x4xf32> {dist.sharding = #rows}, %w: tensor<4x6xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x"}]>}, %v: tensor<6x5xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>},
                 %b: tensor<3x12x4xf32> {dist.sharding = #dist.sharding<@m, [{}, {"y", "x"}, {}]>}, %whole: tensor<4x5xf32> {dist.sharding = #whole})
    -> (tensor<12x5xf32> {dist.sharding = #rows}, tensor<3x12x5xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {}]>}) {
  %0 = dist.reshard %x from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<12x4xf32>
  %1 = pd.matmul %0, %w {dist.shardings = [#dist.sharding<@m, [{}, {"x"}]>]} : (tensor<12x4xf32>, tensor<4x6xf32>) -> tensor<12x6xf32>
  %2 = pd.matmul %1, %v {dist.shardings = [#dist.sharding<@m, [{}, {}], partial = [sum {"x"}]>]} : (tensor<12x6xf32>, tensor<6x5xf32>) -> tensor<12x5xf32>
  %3 = dist.reshard %2 from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{"x"}, {}]> : tensor<12x5xf32>
  %4 = dist.reshard %b from <@m, [{}, {"y", "x"}, {}]> to <@m, [{}, {}, {}]> : tensor<3x12x4xf32>
  %5 = pd.matmul %4, %whole {dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]} : (tensor<3x12x4xf32>, tensor<4x5xf32>) -> tensor<3x12x5xf32>
  return %3, %5 : tensor<12x5xf32>, tensor<3x12x5xf32>
}

// Attention with a split sequence: keys and values are gathered, or travel around a ring. The mask has rows and columns.
#heads = #dist.sharding<@m, [{}, {}, {"x"}, {}]>
#all_heads = #dist.sharding<@m, [{}, {}, {}, {}]>
func.func @attention(%q: tensor<2x3x12x4xf32> {dist.sharding = #heads}, %k: tensor<2x3x12x4xf32> {dist.sharding = #heads},
                     %v: tensor<2x3x12x5xf32> {dist.sharding = #heads}, %mask: tensor<12x12xf32> {dist.sharding = #rows})
    -> (tensor<2x3x12x5xf32> {dist.sharding = #heads}) {
  %0 = dist.reshard %k from <@m, [{}, {}, {"x"}, {}]> to <@m, [{}, {}, {}, {}]> : tensor<2x3x12x4xf32>
  %1 = dist.reshard %v from <@m, [{}, {}, {"x"}, {}]> to <@m, [{}, {}, {}, {}]> : tensor<2x3x12x5xf32>
  %2 = pd.matmul %q, %0 {transpose_y = true, dist.shardings = [#heads]} : (tensor<2x3x12x4xf32>, tensor<2x3x12x4xf32>) -> tensor<2x3x12x12xf32>
  %3 = pd.scale %2 {scale = 3.0, dist.shardings = [#heads]} : (tensor<2x3x12x12xf32>) -> tensor<2x3x12x12xf32>
  %4 = pd.add %3, %mask {dist.shardings = [#heads]} : (tensor<2x3x12x12xf32>, tensor<12x12xf32>) -> tensor<2x3x12x12xf32>
  %5 = pd.softmax %4 {dist.shardings = [#heads]} : (tensor<2x3x12x12xf32>) -> tensor<2x3x12x12xf32>
  %6 = pd.matmul %5, %1 {dist.shardings = [#heads]} : (tensor<2x3x12x12xf32>, tensor<2x3x12x5xf32>) -> tensor<2x3x12x5xf32>
  return %6 : tensor<2x3x12x5xf32>
}
