// RUN: proa-opt %s --dist-pipeline --split-input-file --verify-diagnostics
// RUN: not proa-opt %s --dist-pipeline=schedule=1f1c --split-input-file 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not proa-opt %s --dist-pipeline="schedule=zbv chunks=3" --split-input-file 2>&1 | FileCheck %s --check-prefix=CHUNKS

// NAME: Cannot find option named '1f1c'!
// CHUNKS: dist-pipeline: 3 chunks for each rank, expected 2

// expected-error@+1 {{dist-pipeline: expected an axis 'pp' whose indices are the ranks of the pipeline}}
dist.mesh @m = <["dp"=2]>
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
  %w2 = pd.subtract %w, %r#2 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %v2 = pd.subtract %v, %r#3 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r#1, %w2, %v2 : tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

dist.mesh @m = <["pp"=2]>
// expected-error@+1 {{dist-pipeline: is a second mesh; expected one}}
dist.mesh @n = <["dp"=2], devices = [2, 3]>
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
  %w2 = pd.subtract %w, %r#2 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %v2 = pd.subtract %v, %r#3 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r#1, %w2, %v2 : tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

dist.mesh @m = <["pp"=2]>
// expected-error@+1 {{has no loop over micro-batches with gradients}}
func.func @main(%x: tensor<4x2xf32> {pd.feed = "x", dist.sharding = #dist.sharding<@m, [{}, {}]>},
    %w: tensor<2x2xf32> {pd.param = "w", dist.sharding = #dist.sharding<@m, [{}, {}]>}, %v: tensor<2x2xf32> {pd.param = "v", dist.sharding = #dist.sharding<@m, [{}, {}]>})
    -> (tensor<f32> {pd.fetch = "loss", dist.sharding = #dist.sharding<@m, []>}, tensor<2x2xf32> {pd.state = "w", dist.sharding = #dist.sharding<@m, [{}, {}]>}, tensor<2x2xf32> {pd.state = "v", dist.sharding = #dist.sharding<@m, [{}, {}]>}) {
  %zero = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<0> : tensor<1xi64>
  %one = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<1> : tensor<1xi64>
  %count = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<2> : tensor<1xi64>
  %none = pd.constant {dist.shardings = [#dist.sharding<@m, []>]} dense<0.0> : tensor<f32>
  %zeros = pd.constant {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} dense<0.0> : tensor<2x2xf32>
  %ones = pd.constant {dist.shardings = [#dist.sharding<@m, []>]} dense<1.0> : tensor<f32>
  %seed = pd.optimization_barrier %ones {dist.shardings = [#dist.sharding<@m, []>]} : (tensor<f32>) -> tensor<f32>
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
  %w2 = pd.subtract %w, %r#2 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %v2 = pd.subtract %v, %r#3 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r#1, %w2, %v2 : tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

dist.mesh @m = <["pp"=4]>
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
  // expected-error@+1 {{the forward function has 3 ops that use parameters, expected at least one for each of 4 stages}}
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
  %w2 = pd.subtract %w, %r#2 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %v2 = pd.subtract %v, %r#3 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r#1, %w2, %v2 : tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

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
  // expected-error@+1 {{the number of micro-batches is not constant}}
  %r:4 = scf.while (%i = %zero, %loss_sum = %none, %dw_sum = %zeros, %dv_sum = %zeros) : (tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) {
    %less = pd.less_than %count, %i {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
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
  %w2 = pd.subtract %w, %r#2 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %v2 = pd.subtract %v, %r#3 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r#1, %w2, %v2 : tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

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
  // expected-error@+1 {{value 2 that the loop over micro-batches carries is not a sum over them}}
  %r:4 = scf.while (%i = %zero, %loss_sum = %none, %dw_sum = %zeros, %dv_sum = %zeros) : (tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) {
    %less = pd.less_than %i, %count {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %scalar = pd.reshape %less {shape = array<i64>, dist.shardings = [#dist.sharding<@m, []>]} : (tensor<1xi1>) -> tensor<i1>
    %continue = tensor.extract %scalar[] : tensor<i1>
    scf.condition(%continue) %i, %loss_sum, %dw_sum, %dv_sum : tensor<1xi64>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
  } do {
  ^bb0(%j: tensor<1xi64>, %l: tensor<f32>, %gw: tensor<2x2xf32>, %gv: tensor<2x2xf32>):
    %shard = pd.gather %xs, %j {dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]} : (tensor<2x2x2xf32>, tensor<1xi64>) -> tensor<1x2x2xf32>
    %x_i = pd.reshape %shard {shape = array<i64: 2, 2>, dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<1x2x2xf32>) -> tensor<2x2xf32>
    %h = pd.matmul %x_i, %gw {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
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

// -----

dist.mesh @m = <["pp"=2]>
// expected-error@+1 {{is for 2 ranks and 3 micro-batches, expected 2 ranks, the size of the axis 'pp', and 2 micro-batches}}
dist.schedule @own microbatches = 3 {
  0: F0 F1 F2 BW0 BW1 BW2
  1: F0 F1 F2 BW0 BW1 BW2
}
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
  %w2 = pd.subtract %w, %r#2 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %v2 = pd.subtract %v, %r#3 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r#1, %w2, %v2 : tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

dist.mesh @m = <["pp"=2]>
dist.schedule @own microbatches = 2 {
  0: F0 F1 BW0 BW1
  1: F0 F1 BW0 BW1
}
// expected-error@+1 {{is a second schedule; expected one}}
dist.schedule @other microbatches = 2 {
  0: F0 F1 BW0 BW1
  1: F0 F1 BW0 BW1
}
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
  %w2 = pd.subtract %w, %r#2 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %v2 = pd.subtract %v, %r#3 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r#1, %w2, %v2 : tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
}
