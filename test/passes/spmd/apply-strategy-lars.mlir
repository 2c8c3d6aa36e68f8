// LARS divides by the norms of a parameter and of its gradient: its values are split as for other optimizers, and
// the norms are over the whole. The results are as on one device. (Smaller parameters are gathered: that takes
// less time than two reductions.)
// RUN: proa-opt %s --dist-apply-strategy=strategy=mp2 --verify-diagnostics | FileCheck %s
// RUN: proa-opt %s --dist-apply-strategy=strategy=mp2 --dist-propagate=check --dist-partition | FileCheck %s --check-prefix=LOCAL
// RUN: proa-run %s --params random:1 -i random:2 --cache off -q -o %t.safetensors
// RUN: proa-run %s --params random:1 -i random:2 --cache off -q --expect=%t.safetensors --strategy mp2 --simulate-mesh | FileCheck %s --check-prefix=RESULT
// RUN: proa-run %s --params random:1 -i random:2 --cache off -q --expect=%t.safetensors --strategy dp2,mp2 --simulate-mesh | FileCheck %s --check-prefix=RESULT
// RUN: proa-run %s --params random:1 -i random:2 --cache off -q --expect=%t.safetensors --strategy dp2,zero2 --simulate-mesh | FileCheck %s --check-prefix=RESULT

// CHECK: %[[W:.*]]: tensor<256x512xf64> {dist.sharding = #dist.sharding<@mesh, [{}, {"mp"}]>, pd.param = "w"}
// CHECK-SAME: tensor<256x512xf64> {dist.sharding = #dist.sharding<@mesh, [{}, {"mp"}]>, pd.param = "velocity"}
// CHECK-SAME: tensor<512x256xf64> {dist.sharding = #dist.sharding<@mesh, [{"mp"}, {}]>, pd.param = "v"}
// The squares of the parameter and of the gradient.
// LOCAL: dist.all_reduce {{.*}} tensor<f64>
// LOCAL: dist.all_reduce {{.*}} tensor<f64>
// LOCAL-NOT: dist.all_gather
// RESULT: PASS
func.func @main(%x: tensor<8x256xf64> {pd.feed = "x"}, %w: tensor<256x512xf64> {pd.param = "w"},
    %velocity: tensor<256x512xf64> {pd.param = "velocity"}, %r: tensor<1xf64> {pd.param = "r"}, %v: tensor<512x256xf64> {pd.param = "v"})
    -> (tensor<8x256xf64> {pd.fetch = "y"}, tensor<f64> {pd.fetch = "updated"}, tensor<256x512xf64> {pd.state = "w"}, tensor<256x512xf64> {pd.state = "velocity"}) {
  %h = pd.matmul %x, %w : (tensor<8x256xf64>, tensor<256x512xf64>) -> tensor<8x512xf64>
  %y = pd.matmul %h, %v : (tensor<8x512xf64>, tensor<512x256xf64>) -> tensor<8x256xf64>
  %dh = pd.matmul %y, %v {transpose_y = true} : (tensor<8x256xf64>, tensor<512x256xf64>) -> tensor<8x512xf64>
  %dw = pd.matmul %x, %dh {transpose_x = true} : (tensor<8x256xf64>, tensor<8x512xf64>) -> tensor<256x512xf64>
  %0:2 = pd.lars_momentum %w, %dw, %velocity, %r {mu = 0.9 : f64, lars_coeff = 0.5 : f64, lars_weight_decay = 0.01 : f64, epsilon = 1.0e-6 : f64}
    : (tensor<256x512xf64>, tensor<256x512xf64>, tensor<256x512xf64>, tensor<1xf64>) -> (tensor<256x512xf64>, tensor<256x512xf64>)
  %squares = pd.square %0#0 : (tensor<256x512xf64>) -> tensor<256x512xf64>
  %u = pd.sum %squares : (tensor<256x512xf64>) -> tensor<f64>
  return %y, %u, %0#0, %0#1 : tensor<8x256xf64>, tensor<f64>, tensor<256x512xf64>, tensor<256x512xf64>
}
