// RUN: proa-opt %s --dist-partition --split-input-file --verify-diagnostics
// RUN: not proa-opt %s --dist-partition=rank=-2 --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: dist-partition: expected a rank of at least -1, found -2

dist.mesh @m = <["x"=2]>
// expected-error @below {{argument 0 has no sharding; run dist-propagate first}}
func.func @argument(%x: tensor<8xf32>) -> (tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) {
  return %x : tensor<8xf32>
}

// -----

dist.mesh @m = <["x"=2]>
// expected-error @below {{result 0 has no sharding; run dist-propagate first}}
func.func @result(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

dist.mesh @m = <["x"=2]>
func.func @op(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) -> (tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) {
  // expected-error @below {{result 0 has no sharding; run dist-propagate first}}
  %0 = pd.relu %x : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error @below {{operand 0: expected the sharding #dist.sharding<@m, [{}]>, found none}}
  return %0 : tensor<8xf32>
}

// -----

dist.mesh @m = <["x"=2]>
// expected-error @below {{expected a final sharding (closed dimensions, no priorities, no replicated axes), found #dist.sharding<@m, [{?}]>; run dist-propagate first}}
func.func @open(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{?}]>}) {
  return
}

// -----

dist.mesh @m = <["x"=2]>
// expected-error @below {{C3: expected an axis of the mesh, found "y"; the axes are "x"}}
func.func @axis(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{"y"}]>}) {
  return
}

// -----

// expected-error @below {{expected the symbol of a dist.mesh in a sharding, found @m}}
func.func @mesh(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{"y"}]>}) {
  return
}

// -----

// A scan needs the whole axis.
dist.mesh @m = <["x"=2]>
#split = #dist.sharding<@m, [{"x"}]>
func.func @scan(%x: tensor<8xf32> {dist.sharding = #split}) -> (tensor<8xf32> {dist.sharding = #split}) {
  // expected-error @below {{'pd.logcumsumexp' op cannot run on shards: its shardings do not follow from its rule (([i])->([i]) {i=8} replicated={i}), and it is not linear in partial operands}}
  // expected-note @below {{operand 0: 'tensor<8xf32>', #dist.sharding<@m, [{"x"}]>}}
  // expected-note @below {{result 0: 'tensor<8xf32>', #dist.sharding<@m, [{"x"}]>}}
  %0 = pd.logcumsumexp %x {axis = 0 : i64, dist.shardings = [#split]} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// The sum over devices of exp(x) is not exp of the sum.
dist.mesh @m = <["x"=2]>
#sum = #dist.sharding<@m, [{}], partial = [sum {"x"}]>
func.func @not_linear(%x: tensor<8xf32> {dist.sharding = #sum}) -> (tensor<8xf32> {dist.sharding = #sum}) {
  // expected-error @below {{'pd.exp' op cannot run on shards}}
  // expected-note @below {{operand 0}}
  // expected-note @below {{result 0}}
  %0 = pd.exp %x {dist.shardings = [#sum]} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// y would be added on each device.
dist.mesh @m = <["x"=2]>
#sum = #dist.sharding<@m, [{}], partial = [sum {"x"}]>
func.func @one_term(%x: tensor<8xf32> {dist.sharding = #sum}, %y: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{}]>})
    -> (tensor<8xf32> {dist.sharding = #sum}) {
  // expected-error @below {{'pd.add' op cannot run on shards}}
  // expected-note @below {{operand 0}}
  // expected-note @below {{operand 1}}
  // expected-note @below {{result 0}}
  %0 = pd.add %x, %y {dist.shardings = [#sum]} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// The product of two sums is not the sum of products.
dist.mesh @m = <["x"=2]>
#sum = #dist.sharding<@m, [{}], partial = [sum {"x"}]>
func.func @two_terms(%x: tensor<8xf32> {dist.sharding = #sum}) -> (tensor<8xf32> {dist.sharding = #sum}) {
  // expected-error @below {{'pd.multiply' op cannot run on shards}}
  // expected-note @below {{operand 0}}
  // expected-note @below {{operand 1}}
  // expected-note @below {{result 0}}
  %0 = pd.multiply %x, %x {dist.shardings = [#sum]} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// The terms of x on a device are not multiplied with all columns of w.
dist.mesh @m = <["x"=2]>
#sum = #dist.sharding<@m, [{}, {}], partial = [sum {"x"}]>
func.func @axis_twice(%x: tensor<4x8xf32> {dist.sharding = #sum}, %w: tensor<8x6xf32> {dist.sharding = #dist.sharding<@m, [{}, {"x"}]>})
    -> (tensor<4x6xf32> {dist.sharding = #sum}) {
  // expected-error @below {{'pd.matmul' op cannot run on shards}}
  // expected-note @below {{operand 0}}
  // expected-note @below {{operand 1}}
  // expected-note @below {{result 0}}
  %0 = pd.matmul %x, %w {dist.shardings = [#sum]} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// The result of a contraction over split shards is partial.
dist.mesh @m = <["x"=2]>
#whole = #dist.sharding<@m, []>
func.func @forgotten_reduction(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{"x"}]>}) -> (tensor<f32> {dist.sharding = #whole}) {
  // expected-error @below {{'pd.sum' op cannot run on shards}}
  // expected-note @below {{operand 0}}
  // expected-note @below {{result 0}}
  %0 = pd.sum %x {dist.shardings = [#whole]} : (tensor<8xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

dist.mesh @m = <["x"=2]>
func.func @reshard(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) -> (tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) {
  // expected-error @below {{operand 0: expected the sharding #dist.sharding<@m, [{"x"}]>, found #dist.sharding<@m, [{}]>}}
  %0 = dist.reshard %x from <@m, [{"x"}]> to <@m, [{}]> : tensor<8xf32>
  // expected-error @below {{operand 0: expected the sharding #dist.sharding<@m, [{}]>, found none}}
  return %0 : tensor<8xf32>
}

// -----

dist.mesh @m = <["x"=2]>
dist.mesh @n = <["x"=2], devices = [1, 0]>
func.func @meshes(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{}]>}, %y: tensor<8xf32> {dist.sharding = #dist.sharding<@n, [{}]>})
    -> (tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{}]>}) {
  // expected-error @below {{operand 0: expected the sharding}}
  %0 = dist.reshard %x from <@m, [{"x"}]> to <@n, [{}]> : tensor<8xf32>
  // expected-error @below {{expected values on one mesh, found @m and @n}}
  %1 = pd.add %x, %y {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Both branches must give the sharding of the result.
dist.mesh @m = <["x"=2]>
#split = #dist.sharding<@m, [{"x"}]>
func.func @branches(%x: tensor<8xf32> {dist.sharding = #split}, %y: tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{}]>}, %p: i1)
    -> (tensor<8xf32> {dist.sharding = #split}) {
  %0 = scf.if %p -> tensor<8xf32> {
    scf.yield %x : tensor<8xf32>
  } else {
    // expected-error @below {{value 0 of a region: expected the sharding #dist.sharding<@m, [{"x"}]>, found #dist.sharding<@m, [{}]>}}
    scf.yield %y : tensor<8xf32>
  } {dist.shardings = [#split]}
  return %0 : tensor<8xf32>
}

// -----

dist.mesh @m = <["x"=2]>
#split = #dist.sharding<@m, [{"x"}]>
func.func private @unsharded(tensor<8xf32>) -> tensor<8xf32>
func.func @call(%x: tensor<8xf32> {dist.sharding = #split}) {
  // expected-error @below {{expected a function with shardings, found @unsharded}}
  %0 = call @unsharded(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

dist.mesh @m = <["x"=2]>
#split = #dist.sharding<@m, [{"x"}]>
func.func @checkpoint(%x: tensor<8xf32> {dist.sharding = #split}) {
  // expected-error @below {{has a region that the partitioner cannot read; decompose the op first}}
  %0 = pd.checkpoint(%x : tensor<8xf32>) {dist.shardings = [#split]} : tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %e = pd.exp %a {dist.shardings = [#split]} : (tensor<8xf32>) -> tensor<8xf32>
    pd.yield %e : tensor<8xf32>
  }
  return
}

// -----

dist.mesh @m = <["x"=2]>
// expected-error @below {{C1: expected the symbol of a dist.mesh, found @none}}
func.func private @declared(tensor<8xf32> {dist.sharding = #dist.sharding<@none, [{"x"}]>}) -> (tensor<8xf32> {dist.sharding = #dist.sharding<@m, [{"x"}]>})

// -----

dist.mesh @m = <["x"=2]>
// expected-error @below {{C1: expected the symbol of a dist.mesh, found @none}}
func.func private @result() -> (tensor<8xf32> {dist.sharding = #dist.sharding<@none, [{"x"}]>})
