// LAMB sums the squares of a parameter: its values are split as for other optimizers, and the sums are combined.
// The results are as on one device.
// RUN: proa-opt %s --dist-apply-strategy=strategy=mp2 --verify-diagnostics | FileCheck %s
// RUN: proa-opt %s --dist-apply-strategy=strategy=mp2 --dist-propagate=check --dist-partition | FileCheck %s --check-prefix=LOCAL
// RUN: proa-run %s --params random:1 -i random:2 --cache off -q -o %t.safetensors
// RUN: proa-run %s --params random:1 -i random:2 --cache off -q --expect=%t.safetensors --strategy mp2 --simulate-mesh | FileCheck %s --check-prefix=RESULT

// CHECK: %[[W:.*]]: tensor<16x32xf64> {dist.sharding = #dist.sharding<@mesh, [{}, {"mp"}]>, pd.param = "w"}
// CHECK-SAME: tensor<16x32xf64> {dist.sharding = #dist.sharding<@mesh, [{}, {"mp"}]>, pd.param = "m1"}
// CHECK-SAME: tensor<32x16xf64> {dist.sharding = #dist.sharding<@mesh, [{"mp"}, {}]>, pd.param = "v"}
// LOCAL: dist.all_reduce {{.*}} tensor<f64>
// LOCAL-NOT: dist.all_gather
// RESULT: PASS
func.func @main(%x: tensor<8x16xf64> {pd.feed = "x"}, %w: tensor<16x32xf64> {pd.param = "w"},
    %m1: tensor<16x32xf64> {pd.param = "m1"}, %b1: tensor<1xf64> {pd.param = "b1"},
    %b2: tensor<1xf64> {pd.param = "b2"}, %r: tensor<1xf64> {pd.param = "r"}, %v: tensor<32x16xf64> {pd.param = "v"})
    -> (tensor<8x16xf64> {pd.fetch = "y"}, tensor<f64> {pd.fetch = "updated"}, tensor<16x32xf64> {pd.state = "w"}, tensor<16x32xf64> {pd.state = "m1"}) {
  %h = pd.matmul %x, %w : (tensor<8x16xf64>, tensor<16x32xf64>) -> tensor<8x32xf64>
  %y = pd.matmul %h, %v : (tensor<8x32xf64>, tensor<32x16xf64>) -> tensor<8x16xf64>
  %dh = pd.matmul %y, %v {transpose_y = true} : (tensor<8x16xf64>, tensor<32x16xf64>) -> tensor<8x32xf64>
  %dw = pd.matmul %x, %dh {transpose_x = true} : (tensor<8x16xf64>, tensor<8x32xf64>) -> tensor<16x32xf64>
  %s2 = pd.square %dw : (tensor<16x32xf64>) -> tensor<16x32xf64>
  %0:5 = pd.lamb %w, %dw, %r, %m1, %s2, %b1, %b2 {beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-6 : f64, weight_decay = 0.01 : f64}
    : (tensor<16x32xf64>, tensor<16x32xf64>, tensor<1xf64>, tensor<16x32xf64>, tensor<16x32xf64>, tensor<1xf64>, tensor<1xf64>)
    -> (tensor<16x32xf64>, tensor<16x32xf64>, tensor<16x32xf64>, tensor<1xf64>, tensor<1xf64>)
  %u = pd.sum %0#0 : (tensor<16x32xf64>) -> tensor<f64>
  return %y, %u, %0#0, %0#1 : tensor<8x16xf64>, tensor<f64>, tensor<16x32xf64>, tensor<16x32xf64>
}
