// RUN: proa-opt %s --dist-propagate=check --split-input-file | FileCheck %s
// RUN: sed '/^.. -----/,$d' %s | proa-opt "--dist-propagate=explain=y" -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN

// Shardings of parameters alone give two stages, each with Megatron's plan of tensor parallelism: one sum for each
// MLP, and one move between the stages. The batch stays split over dp.
// CHECK-LABEL: func.func @main
// CHECK-SAME: pd.feed = "x"
// CHECK-SAME: (tensor<8x4xf32> {dist.sharding = #dist.sharding<@second, [{"dp"}, {}]>, pd.fetch = "y"})
// CHECK: pd.matmul {{.*}} {dist.shardings = [#dist.sharding<@first, [{"dp"}, {"mp"}]>]}
// CHECK: %[[H:.*]] = pd.matmul {{.*}} {dist.shardings = [#dist.sharding<@first, [{"dp"}, {}], partial = [sum {"mp"}]>]}
// CHECK: %[[S:.*]] = dist.reshard %[[H]] from <@first, [{"dp"}, {}], partial = [sum {"mp"}]> to <@second, [{"dp"}, {}]>
// CHECK-NOT: dist.reshard
// CHECK: pd.matmul %[[S]], {{.*}} {dist.shardings = [#dist.sharding<@second, [{"dp"}, {"mp"}]>]}
// CHECK: %[[P:.*]] = pd.matmul {{.*}} {dist.shardings = [#dist.sharding<@second, [{"dp"}, {}], partial = [sum {"mp"}]>]}
// The residual connection uses the value that the stage has already.
// CHECK: %[[R:.*]] = dist.reshard %[[P]]
// CHECK: pd.add %[[R]], %[[S]]
// EXPLAIN: y: @second [{dp}, {}]
dist.mesh @first = <["dp"=2, "mp"=2]>
dist.mesh @second = <["dp"=2, "mp"=2], devices = [4, 5, 6, 7]>
func.func @main(%x: tensor<8x4xf32> {pd.feed = "x", dist.sharding = #dist.sharding<@first, [{"dp"}, {}]>},
    %a: tensor<4x8xf32> {pd.param = "a", dist.sharding = #dist.sharding<@first, [{}, {"mp"}]>},
    %b: tensor<8x4xf32> {pd.param = "b", dist.sharding = #dist.sharding<@first, [{"mp"}, {}]>},
    %c: tensor<4x8xf32> {pd.param = "c", dist.sharding = #dist.sharding<@second, [{}, {"mp"}]>},
    %d: tensor<8x4xf32> {pd.param = "d", dist.sharding = #dist.sharding<@second, [{"mp"}, {}]>})
    -> (tensor<8x4xf32> {pd.fetch = "y"}) {
  %0 = pd.matmul %x, %a : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %1 = pd.relu %0 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = pd.matmul %1, %b : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %3 = pd.matmul %2, %c : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %4 = pd.relu %3 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = pd.matmul %4, %d : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %6 = pd.add %5, %2 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %6 : tensor<8x4xf32>
}

// -----

// A training step: the gradient of the second stage moves back; each parameter is updated on its mesh.
// CHECK-LABEL: func.func @train
// CHECK: pd.matmul {{.*}} {dist.shardings = [#dist.sharding<@a, [{"x"}, {}]>]}
// CHECK: dist.reshard {{.*}} to <@b, [{"x"}, {}]>
// CHECK: pd.matmul {{.*}} {dist.shardings = [#dist.sharding<@b, [{"x"}, {}]>]}
// CHECK: pd.matmul {{.*}} {dist.shardings = [#dist.sharding<@b, [{}, {}], partial = [sum {"x"}]>], transpose_x = true}
// CHECK: dist.reshard {{.*}} from <@b, {{.*}} to <@b,
// CHECK: pd.matmul {{.*}} {dist.shardings = [#dist.sharding<@b, [{"x"}, {}]>], transpose_y = true}
// CHECK: dist.reshard {{.*}} from <@b, [{"x"}, {}]> to <@a, [{"x"}, {}]>
// CHECK: pd.matmul {{.*}} {dist.shardings = [#dist.sharding<@a, [{}, {}], partial = [sum {"x"}]>], transpose_x = true}
// CHECK: pd.subtract {{.*}} {dist.shardings = [#dist.sharding<@a, [{}, {}]>]}
// CHECK: pd.subtract {{.*}} {dist.shardings = [#dist.sharding<@b, [{}, {}]>]}
dist.mesh @a = <["x"=2]>
dist.mesh @b = <["x"=2], devices = [2, 3]>
func.func @train(%x: tensor<8x4xf32> {pd.feed = "x", dist.sharding = #dist.sharding<@a, [{"x"}, {}]>},
    %w: tensor<4x4xf32> {pd.param = "w", dist.sharding = #dist.sharding<@a, [{}, {}]>},
    %v: tensor<4x4xf32> {pd.param = "v", dist.sharding = #dist.sharding<@b, [{}, {}]>})
    -> (tensor<4x4xf32> {pd.state = "w"}, tensor<4x4xf32> {pd.state = "v"}) {
  %h = pd.matmul %x, %w : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %y = pd.matmul %h, %v : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %dv = pd.matmul %h, %y {transpose_x = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %dh = pd.matmul %y, %v {transpose_y = true} : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %dw = pd.matmul %x, %dh {transpose_x = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %nw = pd.subtract %w, %dw : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %nv = pd.subtract %v, %dv : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %nw, %nv : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A constraint on another mesh begins a stage: ops without parameters follow it. Axes that both meshes have pass.
// A constant is created on each mesh.
// CHECK-LABEL: func.func @constrained
// CHECK: pd.constant {{.*}}dist.shardings = [#dist.sharding<@a, [{}]>]
// CHECK: pd.constant {{.*}}dist.shardings = [#dist.sharding<@b, [{}]>]
// CHECK: %[[M:.*]] = pd.multiply {{.*}} {dist.shardings = [#dist.sharding<@a, [{"x"}]>]}
// CHECK: %[[R:.*]] = dist.reshard %[[M]] from <@a, [{"x"}]> to <@b, [{"x"}]>
// CHECK: pd.multiply %[[R]], {{.*}} {dist.shardings = [#dist.sharding<@b, [{"x"}]>]}
// CHECK-NOT: dist.constrain
dist.mesh @a = <["x"=2]>
dist.mesh @b = <["x"=2, "z"=2], devices = [2, 3, 4, 5]>
func.func @constrained(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@a, [{"x"}]>}) -> tensor<8xf32> {
  %c = pd.constant dense<2.0> : tensor<1xf32>
  %0 = pd.multiply %x, %c : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
  %1 = dist.constrain %0 to <@b, [{?}]> : tensor<8xf32>
  %2 = pd.multiply %1, %c : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// The values of a loop have one mesh each.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK: %[[A:.*]] = pd.exp {{.*}} {dist.shardings = [#dist.sharding<@a, [{"x"}]>]}
// CHECK: %[[B:.*]] = dist.reshard %[[A]] from <@a, [{"x"}]> to <@b, [{"x"}]>
// CHECK: pd.add %{{.*}}, %[[B]] {dist.shardings = [#dist.sharding<@b, [{"x"}]>]}
// CHECK: } {dist.shardings = [#dist.sharding<@a, [{"x"}]>, #dist.sharding<@b, [{"x"}]>]}
dist.mesh @a = <["x"=2]>
dist.mesh @b = <["x"=2], devices = [2, 3]>
func.func @loop(%x: tensor<8xf32> {dist.sharding = #dist.sharding<@a, [{"x"}]>},
    %y: tensor<8xf32> {dist.sharding = #dist.sharding<@b, [{"x"}]>}, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x, %u = %y) -> (tensor<8xf32>, tensor<8xf32>) {
    %1 = pd.exp %v : (tensor<8xf32>) -> tensor<8xf32>
    %3 = pd.add %u, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    scf.yield %1, %3 : tensor<8xf32>, tensor<8xf32>
  }
  return %0#1 : tensor<8xf32>
}
