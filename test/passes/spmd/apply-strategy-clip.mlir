// The clipping of gradients by their global norm combines all elements of a gradient: devices exchange one number, so
// that weights are split as without it. The results are as on one device.
// RUN: split-file %s %t
// RUN: proa-opt %t/global.mlir --dist-apply-strategy=strategy=mp2 --verify-diagnostics | FileCheck %s
// RUN: proa-opt %t/global.mlir --dist-apply-strategy=strategy=mp2 --dist-propagate=check --dist-partition | FileCheck %s --check-prefix=LOCAL
// RUN: proa-run %t/global.mlir --params random:1 -i random:2 --cache off -q -o %t.safetensors
// RUN: proa-run %t/global.mlir --params random:1 -i random:2 --cache off -q --expect=%t.safetensors --strategy mp2 --simulate-mesh | FileCheck %s --check-prefix=RESULT
// RUN: proa-opt %t/rows.mlir --dist-apply-strategy=strategy=mp2 2>&1 | FileCheck %s --check-prefix=ROWS

// CHECK: tensor<256x512xf64> {dist.sharding = #dist.sharding<@mesh, [{}, {"mp"}]>, pd.param = "w"}
// CHECK-SAME: tensor<512x256xf64> {dist.sharding = #dist.sharding<@mesh, [{"mp"}, {}]>, pd.param = "v"}
// LOCAL: dist.all_reduce {{.*}} tensor<8x256xf64>
// LOCAL-NOT: dist.all_gather
// RESULT: PASS
// ROWS: warning: 'mp' of the strategy splits nothing: of dimension {{.}} of parameter "w", which has the most work: pd.cumsum needs it whole

//--- global.mlir
func.func @main(%x: tensor<8x256xf64> {pd.feed = "x"}, %w: tensor<256x512xf64> {pd.param = "w"},
    %v: tensor<512x256xf64> {pd.param = "v"}, %r: tensor<1xf64> {pd.param = "r"})
    -> (tensor<8x256xf64> {pd.fetch = "y"}, tensor<256x512xf64> {pd.state = "w"}, tensor<512x256xf64> {pd.state = "v"}) {
  %h = pd.matmul %x, %w : (tensor<8x256xf64>, tensor<256x512xf64>) -> tensor<8x512xf64>
  %y = pd.matmul %h, %v : (tensor<8x512xf64>, tensor<512x256xf64>) -> tensor<8x256xf64>
  %dh = pd.matmul %y, %v {transpose_y = true} : (tensor<8x256xf64>, tensor<512x256xf64>) -> tensor<8x512xf64>
  %dw = pd.matmul %x, %dh {transpose_x = true} : (tensor<8x256xf64>, tensor<8x512xf64>) -> tensor<256x512xf64>
  %dv = pd.matmul %h, %y {transpose_x = true} : (tensor<8x512xf64>, tensor<8x256xf64>) -> tensor<512x256xf64>
  %nw = pd.squared_l2_norm %dw : (tensor<256x512xf64>) -> tensor<1xf64>
  %nv = pd.squared_l2_norm %dv : (tensor<512x256xf64>) -> tensor<1xf64>
  %sum = pd.add %nw, %nv : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xf64>
  %scale = pd.rsqrt %sum : (tensor<1xf64>) -> tensor<1xf64>
  %gw = pd.multiply %dw, %scale : (tensor<256x512xf64>, tensor<1xf64>) -> tensor<256x512xf64>
  %gv = pd.clip_by_norm %dv {max_norm = 1.0 : f64} : (tensor<512x256xf64>) -> tensor<512x256xf64>
  %w1 = pd.sgd %w, %r, %gw : (tensor<256x512xf64>, tensor<1xf64>, tensor<256x512xf64>) -> tensor<256x512xf64>
  %v1 = pd.sgd %v, %r, %gv : (tensor<512x256xf64>, tensor<1xf64>, tensor<512x256xf64>) -> tensor<512x256xf64>
  return %y, %w1, %v1 : tensor<8x256xf64>, tensor<256x512xf64>, tensor<512x256xf64>
}

//--- rows.mlir
// Sums along each row of the gradient need the rows whole.
func.func @main(%x: tensor<8x16xf64> {pd.feed = "x"}, %w: tensor<16x32xf64> {pd.param = "w"}, %r: tensor<1xf64> {pd.param = "r"})
    -> (tensor<8x32xf64> {pd.fetch = "y"}, tensor<16x32xf64> {pd.state = "w"}) {
  %y = pd.matmul %x, %w : (tensor<8x16xf64>, tensor<16x32xf64>) -> tensor<8x32xf64>
  %dw = pd.matmul %x, %y {transpose_x = true} : (tensor<8x16xf64>, tensor<8x32xf64>) -> tensor<16x32xf64>
  %gw = pd.cumsum %dw {axis = 1 : i64} : (tensor<16x32xf64>) -> tensor<16x32xf64>
  %w1 = pd.sgd %w, %r, %gw : (tensor<16x32xf64>, tensor<1xf64>, tensor<16x32xf64>) -> tensor<16x32xf64>
  return %y, %w1 : tensor<8x32xf64>, tensor<16x32xf64>
}
