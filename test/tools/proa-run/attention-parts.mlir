// Attention with dropout whose weights are split by batches and heads: each device drops the weights that one device
// drops, in one kernel.
// RUN: proa-run %s --params random:5 --seed 3 --cache off -q -o %t.safetensors --repeat 1 --warmup 0
// RUN: echo '{"mesh": {"x": 2, "y": 2}, "shardings": [{"name": "*", "sharding": "[{x}, {y}, {}, {}]"}]}' > %t.json
// RUN: proa-run %s --params random:5 --seed 3 --shardings %t.json --simulate-mesh --cache off --target=cuda-emulated --expect=%t.safetensors -q | FileCheck %s
// RUN: proa-run %s --params random:5 --seed 3 --shardings %t.json --simulate-mesh --cache off --target=cuda-emulated -q --remarks=pd-form-attention 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: proa-run %s --params random:5 --seed 3 --shardings %t.json --simulate-mesh --cache off --expect=%t.safetensors -q | FileCheck %s
// CHECK: PASS
// REMARK: pd.matmul is the end of an attention
func.func @main(%q: tensor<4x4x8x8xf32> {pd.feed = "q"}, %k: tensor<4x4x12x8xf32> {pd.feed = "k"}, %v: tensor<4x4x12x8xf32> {pd.feed = "v"})
    -> (tensor<4x4x8x8xf32> {pd.fetch = "out"}) {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<4x4x8x8xf32>, tensor<4x4x12x8xf32>) -> tensor<4x4x8x12xf32>
  %p = pd.softmax %s : (tensor<4x4x8x12xf32>) -> tensor<4x4x8x12xf32>
  %d, %m = pd.dropout %p mode = upscale_in_train {p = 0.4 : f64} : (tensor<4x4x8x12xf32>) -> (tensor<4x4x8x12xf32>, tensor<4x4x8x12xui8>)
  %o = pd.matmul %d, %v : (tensor<4x4x8x12xf32>, tensor<4x4x12x8xf32>) -> tensor<4x4x8x8xf32>
  return %o : tensor<4x4x8x8xf32>
}
