// Stages are cut by the time of their ops on the target: matmuls of bfloat16 use tensor cores on a GPU.
// RUN: proa-opt %s --proa-set-target=gpu=sm_90a --dist-pipeline=schedule=fthenb | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: proa-opt %s --proa-set-target=cpu=avx2 --dist-pipeline=schedule=fthenb | FileCheck %s --check-prefixes=CHECK,CPU

// On sm_90a a matmul of bfloat16 takes 18 us and one of float32 290 us: the first stage has one of float32 too. A CPU
// has one rate for both.
dist.mesh @m = <["pp"=2]>
// CHECK: func.func @main({{.*}}@m_stage0, {{.*}}pd.param = "a"}
// CHECK-SAME: @m_stage0, {{.*}}pd.param = "b"}
// GPU-SAME: @m_stage0, {{.*}}pd.param = "c"}
// CPU-SAME: @m_stage1, {{.*}}pd.param = "c"}
// CHECK-SAME: @m_stage1, {{.*}}pd.param = "d"}
func.func @main(%x: tensor<4096x2048xbf16> {pd.feed = "x", dist.sharding = #dist.sharding<@m, [{}, {}]>},
    %a: tensor<2048x2048xbf16> {pd.param = "a", dist.sharding = #dist.sharding<@m, [{}, {}]>},
    %b: tensor<2048x2048xbf16> {pd.param = "b", dist.sharding = #dist.sharding<@m, [{}, {}]>},
    %c: tensor<2048x2048xf32> {pd.param = "c", dist.sharding = #dist.sharding<@m, [{}, {}]>},
    %d: tensor<2048x2048xf32> {pd.param = "d", dist.sharding = #dist.sharding<@m, [{}, {}]>})
    -> (tensor<f32> {pd.fetch = "loss", dist.sharding = #dist.sharding<@m, []>}, tensor<2048x2048xf32> {pd.state = "d", dist.sharding = #dist.sharding<@m, [{}, {}]>}) {
  %zero = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<0> : tensor<1xi64>
  %one = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<1> : tensor<1xi64>
  %count = pd.constant {dist.shardings = [#dist.sharding<@m, [{}]>]} dense<2> : tensor<1xi64>
  %none = pd.constant {dist.shardings = [#dist.sharding<@m, []>]} dense<0.0> : tensor<f32>
  %zeros = pd.constant {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} dense<0.0> : tensor<2048x2048xf32>
  %ones = pd.constant {dist.shardings = [#dist.sharding<@m, []>]} dense<1.0> : tensor<f32>
  %seed = pd.optimization_barrier %ones {number = 9223372036854775807 : i64, dist.shardings = [#dist.sharding<@m, []>]} : (tensor<f32>) -> tensor<f32>
  %xs = pd.reshape %x {shape = array<i64: 2, 2048, 2048>, dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]} : (tensor<4096x2048xbf16>) -> tensor<2x2048x2048xbf16>
  %r:3 = scf.while (%i = %zero, %loss_sum = %none, %d_sum = %zeros) : (tensor<1xi64>, tensor<f32>, tensor<2048x2048xf32>) -> (tensor<1xi64>, tensor<f32>, tensor<2048x2048xf32>) {
    %less = pd.less_than %i, %count {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %scalar = pd.reshape %less {shape = array<i64>, dist.shardings = [#dist.sharding<@m, []>]} : (tensor<1xi1>) -> tensor<i1>
    %continue = tensor.extract %scalar[] : tensor<i1>
    scf.condition(%continue) %i, %loss_sum, %d_sum : tensor<1xi64>, tensor<f32>, tensor<2048x2048xf32>
  } do {
  ^bb0(%j: tensor<1xi64>, %l: tensor<f32>, %gd: tensor<2048x2048xf32>):
    %shard = pd.gather %xs, %j {dist.shardings = [#dist.sharding<@m, [{}, {}, {}]>]} : (tensor<2x2048x2048xbf16>, tensor<1xi64>) -> tensor<1x2048x2048xbf16>
    %x_i = pd.reshape %shard {shape = array<i64: 2048, 2048>, dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<1x2048x2048xbf16>) -> tensor<2048x2048xbf16>
    %p = pd.matmul %x_i, %a {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
    %q = pd.matmul %p, %b {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
    %w = pd.cast %q {dtype = f32, dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2048x2048xbf16>) -> tensor<2048x2048xf32>
    %h = pd.matmul %w, %c {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
    %y = pd.matmul %h, %d {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
    %loss = pd.sum %y {dist.shardings = [#dist.sharding<@m, []>]} : (tensor<2048x2048xf32>) -> tensor<f32>
    %dy = pd.multiply %y, %seed {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2048x2048xf32>, tensor<f32>) -> tensor<2048x2048xf32>
    %dd = pd.matmul %h, %dy {dist.shardings = [#dist.sharding<@m, [{}, {}]>], transpose_x = true} : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
    %l2 = pd.add %l, %loss {dist.shardings = [#dist.sharding<@m, []>]} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %gd2 = pd.add %gd, %dd {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
    %j2 = pd.add %j, %one {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %j2, %l2, %gd2 : tensor<1xi64>, tensor<f32>, tensor<2048x2048xf32>
  } attributes {dist.shardings = [#dist.sharding<@m, [{}]>, #dist.sharding<@m, []>, #dist.sharding<@m, [{}, {}]>]}
  %d2 = pd.subtract %d, %r#2 {dist.shardings = [#dist.sharding<@m, [{}, {}]>]} : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  return %r#1, %d2 : tensor<f32>, tensor<2048x2048xf32>
}
