// Each device has some heads of keys with their query heads, some sequences, or some elements of values, and computes
// the same.
// RUN: proa-run %s --params random:5 --cache off -q -o %t.safetensors
// RUN: echo '{"mesh": {"x": 2}, "shardings": [{"name": "q", "sharding": "[{}, {x}, {}]"}, {"name": "k", "sharding": "[{}, {x}, {}, {}]"}, {"name": "v", "sharding": "[{}, {x}, {}, {}]"}, {"name": "out", "sharding": "[{}, {x}, {}]"}]}' > %t.heads.json
// RUN: proa-run %s --params random:5 --shardings %t.heads.json --simulate-mesh --cache off --expect=%t.safetensors -q | FileCheck %s
// RUN: echo '{"mesh": {"x": 2}, "shardings": [{"name": "q", "sharding": "[{x}, {}, {}]"}, {"name": "out", "sharding": "[{x}, {}, {}]"}]}' > %t.sequences.json
// RUN: proa-run %s --params random:5 --shardings %t.sequences.json --simulate-mesh --cache off --expect=%t.safetensors -q | FileCheck %s
// RUN: echo '{"mesh": {"x": 3}, "shardings": [{"name": "v", "sharding": "[{}, {}, {}, {x}]"}, {"name": "out", "sharding": "[{}, {}, {x}]"}]}' > %t.elements.json
// RUN: proa-run %s --params random:5 --shardings %t.elements.json --simulate-mesh --cache off --expect=%t.safetensors -q | FileCheck %s
// CHECK: PASS
func.func @main(%q: tensor<4x8x16xf32> {pd.feed = "q"}, %k: tensor<9x4x4x16xf32> {pd.feed = "k"},
                %v: tensor<9x4x4x12xf32> {pd.feed = "v"}) -> (tensor<4x8x12xf32> {pd.fetch = "out"}) {
  %t = pd.constant dense<[[3, 0, -1], [2, 8, 1], [-1, -1, -1], [4, -1, -1]]> : tensor<4x3xi32>
  %n = pd.constant dense<[5, 12, 0, 1]> : tensor<4xi32>
  %0 = pd.paged_attention %q, %k, %v, %t, %n {scale = 0.5 : f64}
      : (tensor<4x8x16xf32>, tensor<9x4x4x16xf32>, tensor<9x4x4x12xf32>, tensor<4x3xi32>, tensor<4xi32>)
      -> tensor<4x8x12xf32>
  return %0 : tensor<4x8x12xf32>
}
