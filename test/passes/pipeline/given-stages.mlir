// Stages that ops are given, and updates of parameters for which all ranks wait.
// RUN: split-file %s %t
// RUN: proa-opt %t/given.mlir --dist-pipeline=schedule=fthenb | FileCheck %s --check-prefix=GIVEN
// RUN: not proa-opt %t/contradiction.mlir --dist-pipeline 2>&1 | FileCheck %s --check-prefix=CONTRADICTION
// RUN: not proa-opt %t/large.mlir --dist-pipeline 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not proa-opt %t/empty.mlir --dist-pipeline 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: proa-opt %t/norm.mlir --dist-pipeline=schedule=zbh2 --remarks=dist-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=NORM
// RUN: proa-opt %t/given.mlir --dist-pipeline=schedule=zbh2 --remarks=dist-pipeline 2>&1 | FileCheck %s --check-prefix=FREE

// The second matmul is on stage 0, so that its parameter is there too. The sum follows from the number of stages.
// GIVEN: pd.param = "w"}
// GIVEN-SAME: %{{.*}}: tensor<2x2xf32> {dist.sharding = #dist.sharding<@m_stage0, {{.*}}pd.param = "v"})
// GIVEN: pd.sum %{{.*}} {dist.shardings = [#dist.sharding<@m_stage1, []>]}
// CONTRADICTION: net.py:{{[0-9]+}}:0: error: its given stage 0 contradicts stage 1 of an op whose result it needs
// CONTRADICTION: net.py:{{[0-9]+}}:0: note: the op of stage 1
// LARGE: error: is given stage 2, expected a stage below 2
// EMPTY: error: the given stages of ops leave no op that uses parameters for one of the 2 stages, expected at least one for each
// NORM: remark: dist-pipeline: pd.multiply combines gradients of several ranks, and updates of parameters need its result: all ranks wait for it
// FREE-NOT: remark
// FREE: func.func @main(
// FREE-NOT: remark

//--- given.mlir
dist.mesh @m = <["pp"=2]>
func.func @main(%x: tensor<4x2xf32> {pd.feed = "x", dist.sharding = #dist.sharding<@m, [{}, {}]>},
    %w: tensor<2x2xf32> {pd.param = "w", dist.sharding = #dist.sharding<@m, [{}, {}]>}, %v: tensor<2x2xf32> {pd.param = "v", dist.sharding = #dist.sharding<@m, [{}, {}]>})
    -> (tensor<f32> {pd.fetch = "loss", dist.sharding = #dist.sharding<@m, []>}, tensor<2x2xf32> {pd.state = "w", dist.sharding = #dist.sharding<@m, [{}, {}]>}, tensor<2x2xf32> {pd.state = "v", dist.sharding = #dist.sharding<@m, [{}, {}]>}) {
  %zero = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<0> : tensor<1xi64>
  %one = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<1> : tensor<1xi64>
  %count = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<2> : tensor<1xi64>
  %none = pd.constant {dist.shardings = [#dist.sharding<@m, []>]} dense<0.0> : tensor<f32>
  %zeros = pd.constant {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} dense<0.0> : tensor<2x2xf32>
  %ones = pd.constant {dist.shardings = [#dist.sharding<@m, []>]} dense<1.0> : tensor<f32>
  %seed = pd.optimization_barrier %ones {number = 9223372036854775807 : i64, dist.shardings = [#dist.sharding<@m, []>]} : (tensor<f32>) -> tensor<f32>
  %xs = pd.reshape %x {shape = array<i64: 2, 2, 2>, dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]} : (tensor<4x2xf32>) -> tensor<2x2x2xf32>
  %r:4 = scf.while (%i = %zero, %loss_sum = %none, %dw_sum = %zeros, %dv_sum = %zeros) : (tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) {
    %less = pd.less_than %i, %count {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %scalar = pd.reshape %less {shape = array<i64>, dist.shardings = [#dist.sharding<@m, []>]} : (tensor<1xi1>) -> tensor<i1>
    %continue = tensor.extract %scalar[] : tensor<i1>
    scf.condition(%continue) %i, %loss_sum, %dw_sum, %dv_sum : tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
  } do {
  ^bb0(%j: tensor<1xi64>, %l: tensor<f32>, %gw: tensor<2x2xf32>, %gv: tensor<2x2xf32>):
    %shard = pd.gather %xs, %j {dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]} : (tensor<2x2x2xf32>, tensor<1xi64>) -> tensor<1x2x2xf32>
    %x_i = pd.reshape %shard {shape = array<i64: 2, 2>, dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<1x2x2xf32>) -> tensor<2x2xf32>
    %h = pd.matmul %x_i, %w {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %y = pd.matmul %h, %v {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc(fused<{dist.stage = 0 : i64}>["net.py":22:0])
    %loss = pd.sum %y {dist.shardings = [#dist.sharding<@m, []>]} : (tensor<2x2xf32>) -> tensor<f32>
    %dy = pd.multiply %y, %seed {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    %dv = pd.matmul %h, %dy {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_x = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %dh = pd.matmul %dy, %v {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_y = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %dw = pd.matmul %x_i, %dh {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_x = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %l2 = pd.add %l, %loss {dist.shardings = [#dist.sharding<@m, []>]} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %gw2 = pd.add %gw, %dw {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %gv2 = pd.add %gv, %dv {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %j2 = pd.add %j, %one {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %j2, %l2, %gw2, %gv2 : tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
  } attributes {dist.shardings = [#dist.sharding<@m, [{}]>, #dist.sharding<@m, []>, #dist.sharding<@m, [{}, {}]>, #dist.sharding<@m, [{}, {}]>]}
  %w2 = pd.subtract %w, %r#2 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %v2 = pd.subtract %v, %r#3 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r#1, %w2, %v2 : tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
}
//--- contradiction.mlir
dist.mesh @m = <["pp"=2]>
func.func @main(%x: tensor<4x2xf32> {pd.feed = "x", dist.sharding = #dist.sharding<@m, [{}, {}]>},
    %w: tensor<2x2xf32> {pd.param = "w", dist.sharding = #dist.sharding<@m, [{}, {}]>}, %v: tensor<2x2xf32> {pd.param = "v", dist.sharding = #dist.sharding<@m, [{}, {}]>})
    -> (tensor<f32> {pd.fetch = "loss", dist.sharding = #dist.sharding<@m, []>}, tensor<2x2xf32> {pd.state = "w", dist.sharding = #dist.sharding<@m, [{}, {}]>}, tensor<2x2xf32> {pd.state = "v", dist.sharding = #dist.sharding<@m, [{}, {}]>}) {
  %zero = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<0> : tensor<1xi64>
  %one = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<1> : tensor<1xi64>
  %count = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<2> : tensor<1xi64>
  %none = pd.constant {dist.shardings = [#dist.sharding<@m, []>]} dense<0.0> : tensor<f32>
  %zeros = pd.constant {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} dense<0.0> : tensor<2x2xf32>
  %ones = pd.constant {dist.shardings = [#dist.sharding<@m, []>]} dense<1.0> : tensor<f32>
  %seed = pd.optimization_barrier %ones {number = 9223372036854775807 : i64, dist.shardings = [#dist.sharding<@m, []>]} : (tensor<f32>) -> tensor<f32>
  %xs = pd.reshape %x {shape = array<i64: 2, 2, 2>, dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]} : (tensor<4x2xf32>) -> tensor<2x2x2xf32>
  %r:4 = scf.while (%i = %zero, %loss_sum = %none, %dw_sum = %zeros, %dv_sum = %zeros) : (tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) {
    %less = pd.less_than %i, %count {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %scalar = pd.reshape %less {shape = array<i64>, dist.shardings = [#dist.sharding<@m, []>]} : (tensor<1xi1>) -> tensor<i1>
    %continue = tensor.extract %scalar[] : tensor<i1>
    scf.condition(%continue) %i, %loss_sum, %dw_sum, %dv_sum : tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
  } do {
  ^bb0(%j: tensor<1xi64>, %l: tensor<f32>, %gw: tensor<2x2xf32>, %gv: tensor<2x2xf32>):
    %shard = pd.gather %xs, %j {dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]} : (tensor<2x2x2xf32>, tensor<1xi64>) -> tensor<1x2x2xf32>
    %x_i = pd.reshape %shard {shape = array<i64: 2, 2>, dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<1x2x2xf32>) -> tensor<2x2xf32>
    %h = pd.matmul %x_i, %w {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc(fused<{dist.stage = 1 : i64}>["net.py":21:0])
    %y = pd.matmul %h, %v {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc(fused<{dist.stage = 0 : i64}>["net.py":22:0])
    %loss = pd.sum %y {dist.shardings = [#dist.sharding<@m, []>]} : (tensor<2x2xf32>) -> tensor<f32>
    %dy = pd.multiply %y, %seed {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    %dv = pd.matmul %h, %dy {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_x = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %dh = pd.matmul %dy, %v {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_y = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %dw = pd.matmul %x_i, %dh {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_x = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %l2 = pd.add %l, %loss {dist.shardings = [#dist.sharding<@m, []>]} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %gw2 = pd.add %gw, %dw {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %gv2 = pd.add %gv, %dv {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %j2 = pd.add %j, %one {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %j2, %l2, %gw2, %gv2 : tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
  } attributes {dist.shardings = [#dist.sharding<@m, [{}]>, #dist.sharding<@m, []>, #dist.sharding<@m, [{}, {}]>, #dist.sharding<@m, [{}, {}]>]}
  %w2 = pd.subtract %w, %r#2 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %v2 = pd.subtract %v, %r#3 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r#1, %w2, %v2 : tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
}
//--- large.mlir
dist.mesh @m = <["pp"=2]>
func.func @main(%x: tensor<4x2xf32> {pd.feed = "x", dist.sharding = #dist.sharding<@m, [{}, {}]>},
    %w: tensor<2x2xf32> {pd.param = "w", dist.sharding = #dist.sharding<@m, [{}, {}]>}, %v: tensor<2x2xf32> {pd.param = "v", dist.sharding = #dist.sharding<@m, [{}, {}]>})
    -> (tensor<f32> {pd.fetch = "loss", dist.sharding = #dist.sharding<@m, []>}, tensor<2x2xf32> {pd.state = "w", dist.sharding = #dist.sharding<@m, [{}, {}]>}, tensor<2x2xf32> {pd.state = "v", dist.sharding = #dist.sharding<@m, [{}, {}]>}) {
  %zero = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<0> : tensor<1xi64>
  %one = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<1> : tensor<1xi64>
  %count = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<2> : tensor<1xi64>
  %none = pd.constant {dist.shardings = [#dist.sharding<@m, []>]} dense<0.0> : tensor<f32>
  %zeros = pd.constant {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} dense<0.0> : tensor<2x2xf32>
  %ones = pd.constant {dist.shardings = [#dist.sharding<@m, []>]} dense<1.0> : tensor<f32>
  %seed = pd.optimization_barrier %ones {number = 9223372036854775807 : i64, dist.shardings = [#dist.sharding<@m, []>]} : (tensor<f32>) -> tensor<f32>
  %xs = pd.reshape %x {shape = array<i64: 2, 2, 2>, dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]} : (tensor<4x2xf32>) -> tensor<2x2x2xf32>
  %r:4 = scf.while (%i = %zero, %loss_sum = %none, %dw_sum = %zeros, %dv_sum = %zeros) : (tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) {
    %less = pd.less_than %i, %count {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %scalar = pd.reshape %less {shape = array<i64>, dist.shardings = [#dist.sharding<@m, []>]} : (tensor<1xi1>) -> tensor<i1>
    %continue = tensor.extract %scalar[] : tensor<i1>
    scf.condition(%continue) %i, %loss_sum, %dw_sum, %dv_sum : tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
  } do {
  ^bb0(%j: tensor<1xi64>, %l: tensor<f32>, %gw: tensor<2x2xf32>, %gv: tensor<2x2xf32>):
    %shard = pd.gather %xs, %j {dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]} : (tensor<2x2x2xf32>, tensor<1xi64>) -> tensor<1x2x2xf32>
    %x_i = pd.reshape %shard {shape = array<i64: 2, 2>, dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<1x2x2xf32>) -> tensor<2x2xf32>
    %h = pd.matmul %x_i, %w {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %y = pd.matmul %h, %v {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %loss = pd.sum %y {dist.shardings = [#dist.sharding<@m, []>]} : (tensor<2x2xf32>) -> tensor<f32> loc(fused<{dist.stage = 2 : i64}>["net.py":23:0])
    %dy = pd.multiply %y, %seed {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    %dv = pd.matmul %h, %dy {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_x = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %dh = pd.matmul %dy, %v {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_y = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %dw = pd.matmul %x_i, %dh {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_x = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %l2 = pd.add %l, %loss {dist.shardings = [#dist.sharding<@m, []>]} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %gw2 = pd.add %gw, %dw {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %gv2 = pd.add %gv, %dv {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %j2 = pd.add %j, %one {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %j2, %l2, %gw2, %gv2 : tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
  } attributes {dist.shardings = [#dist.sharding<@m, [{}]>, #dist.sharding<@m, []>, #dist.sharding<@m, [{}, {}]>, #dist.sharding<@m, [{}, {}]>]}
  %w2 = pd.subtract %w, %r#2 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %v2 = pd.subtract %v, %r#3 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r#1, %w2, %v2 : tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
}
//--- empty.mlir
dist.mesh @m = <["pp"=2]>
func.func @main(%x: tensor<4x2xf32> {pd.feed = "x", dist.sharding = #dist.sharding<@m, [{}, {}]>},
    %w: tensor<2x2xf32> {pd.param = "w", dist.sharding = #dist.sharding<@m, [{}, {}]>}, %v: tensor<2x2xf32> {pd.param = "v", dist.sharding = #dist.sharding<@m, [{}, {}]>})
    -> (tensor<f32> {pd.fetch = "loss", dist.sharding = #dist.sharding<@m, []>}, tensor<2x2xf32> {pd.state = "w", dist.sharding = #dist.sharding<@m, [{}, {}]>}, tensor<2x2xf32> {pd.state = "v", dist.sharding = #dist.sharding<@m, [{}, {}]>}) {
  %zero = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<0> : tensor<1xi64>
  %one = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<1> : tensor<1xi64>
  %count = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<2> : tensor<1xi64>
  %none = pd.constant {dist.shardings = [#dist.sharding<@m, []>]} dense<0.0> : tensor<f32>
  %zeros = pd.constant {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} dense<0.0> : tensor<2x2xf32>
  %ones = pd.constant {dist.shardings = [#dist.sharding<@m, []>]} dense<1.0> : tensor<f32>
  %seed = pd.optimization_barrier %ones {number = 9223372036854775807 : i64, dist.shardings = [#dist.sharding<@m, []>]} : (tensor<f32>) -> tensor<f32>
  %xs = pd.reshape %x {shape = array<i64: 2, 2, 2>, dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]} : (tensor<4x2xf32>) -> tensor<2x2x2xf32>
  %r:4 = scf.while (%i = %zero, %loss_sum = %none, %dw_sum = %zeros, %dv_sum = %zeros) : (tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) {
    %less = pd.less_than %i, %count {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %scalar = pd.reshape %less {shape = array<i64>, dist.shardings = [#dist.sharding<@m, []>]} : (tensor<1xi1>) -> tensor<i1>
    %continue = tensor.extract %scalar[] : tensor<i1>
    scf.condition(%continue) %i, %loss_sum, %dw_sum, %dv_sum : tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
  } do {
  ^bb0(%j: tensor<1xi64>, %l: tensor<f32>, %gw: tensor<2x2xf32>, %gv: tensor<2x2xf32>):
    %shard = pd.gather %xs, %j {dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]} : (tensor<2x2x2xf32>, tensor<1xi64>) -> tensor<1x2x2xf32>
    %x_i = pd.reshape %shard {shape = array<i64: 2, 2>, dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<1x2x2xf32>) -> tensor<2x2xf32>
    %h = pd.matmul %x_i, %w {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc(fused<{dist.stage = 1 : i64}>["net.py":21:0])
    %y = pd.matmul %h, %v {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %loss = pd.sum %y {dist.shardings = [#dist.sharding<@m, []>]} : (tensor<2x2xf32>) -> tensor<f32>
    %dy = pd.multiply %y, %seed {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    %dv = pd.matmul %h, %dy {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_x = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %dh = pd.matmul %dy, %v {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_y = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %dw = pd.matmul %x_i, %dh {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_x = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %l2 = pd.add %l, %loss {dist.shardings = [#dist.sharding<@m, []>]} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %gw2 = pd.add %gw, %dw {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %gv2 = pd.add %gv, %dv {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %j2 = pd.add %j, %one {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %j2, %l2, %gw2, %gv2 : tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
  } attributes {dist.shardings = [#dist.sharding<@m, [{}]>, #dist.sharding<@m, []>, #dist.sharding<@m, [{}, {}]>, #dist.sharding<@m, [{}, {}]>]}
  %w2 = pd.subtract %w, %r#2 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %v2 = pd.subtract %v, %r#3 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r#1, %w2, %v2 : tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
}
//--- norm.mlir
dist.mesh @m = <["pp"=2]>
func.func @main(%x: tensor<4x2xf32> {pd.feed = "x", dist.sharding = #dist.sharding<@m, [{}, {}]>},
    %w: tensor<2x2xf32> {pd.param = "w", dist.sharding = #dist.sharding<@m, [{}, {}]>}, %v: tensor<2x2xf32> {pd.param = "v", dist.sharding = #dist.sharding<@m, [{}, {}]>})
    -> (tensor<f32> {pd.fetch = "loss", dist.sharding = #dist.sharding<@m, []>}, tensor<2x2xf32> {pd.state = "w", dist.sharding = #dist.sharding<@m, [{}, {}]>}, tensor<2x2xf32> {pd.state = "v", dist.sharding = #dist.sharding<@m, [{}, {}]>}) {
  %zero = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<0> : tensor<1xi64>
  %one = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<1> : tensor<1xi64>
  %count = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<2> : tensor<1xi64>
  %none = pd.constant {dist.shardings = [#dist.sharding<@m, []>]} dense<0.0> : tensor<f32>
  %zeros = pd.constant {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} dense<0.0> : tensor<2x2xf32>
  %ones = pd.constant {dist.shardings = [#dist.sharding<@m, []>]} dense<1.0> : tensor<f32>
  %seed = pd.optimization_barrier %ones {number = 9223372036854775807 : i64, dist.shardings = [#dist.sharding<@m, []>]} : (tensor<f32>) -> tensor<f32>
  %xs = pd.reshape %x {shape = array<i64: 2, 2, 2>, dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]} : (tensor<4x2xf32>) -> tensor<2x2x2xf32>
  %r:4 = scf.while (%i = %zero, %loss_sum = %none, %dw_sum = %zeros, %dv_sum = %zeros) : (tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) {
    %less = pd.less_than %i, %count {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %scalar = pd.reshape %less {shape = array<i64>, dist.shardings = [#dist.sharding<@m, []>]} : (tensor<1xi1>) -> tensor<i1>
    %continue = tensor.extract %scalar[] : tensor<i1>
    scf.condition(%continue) %i, %loss_sum, %dw_sum, %dv_sum : tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
  } do {
  ^bb0(%j: tensor<1xi64>, %l: tensor<f32>, %gw: tensor<2x2xf32>, %gv: tensor<2x2xf32>):
    %shard = pd.gather %xs, %j {dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]} : (tensor<2x2x2xf32>, tensor<1xi64>) -> tensor<1x2x2xf32>
    %x_i = pd.reshape %shard {shape = array<i64: 2, 2>, dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<1x2x2xf32>) -> tensor<2x2xf32>
    %h = pd.matmul %x_i, %w {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %y = pd.matmul %h, %v {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %loss = pd.sum %y {dist.shardings = [#dist.sharding<@m, []>]} : (tensor<2x2xf32>) -> tensor<f32>
    %dy = pd.multiply %y, %seed {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    %dv = pd.matmul %h, %dy {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_x = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %dh = pd.matmul %dy, %v {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_y = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %dw = pd.matmul %x_i, %dh {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_x = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %l2 = pd.add %l, %loss {dist.shardings = [#dist.sharding<@m, []>]} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %gw2 = pd.add %gw, %dw {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %gv2 = pd.add %gv, %dv {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %j2 = pd.add %j, %one {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %j2, %l2, %gw2, %gv2 : tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
  } attributes {dist.shardings = [#dist.sharding<@m, [{}]>, #dist.sharding<@m, []>, #dist.sharding<@m, [{}, {}]>, #dist.sharding<@m, [{}, {}]>]}
  %dot = pd.multiply %r#2, %r#3 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %norm = pd.sum %dot {dist.shardings = [#dist.sharding<@m, []>]} : (tensor<2x2xf32>) -> tensor<f32>
  %clipped = pd.multiply %r#2, %norm {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %w2 = pd.subtract %w, %clipped {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %v2 = pd.subtract %v, %r#3 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r#1, %w2, %v2 : tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
}
