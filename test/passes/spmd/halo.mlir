// A window over a split dimension needs borders of the neighbours' shards. They are messages between neighbours, whose
// bytes do not depend on the number of shards. The results are as on one device.
// RUN: split-file %s %t
// RUN: sed s/DEVICES/2/ %t/conv.mlir | proa-opt --dist-propagate --dist-partition | FileCheck %t/conv.mlir
// RUN: sed s/DEVICES/4/ %t/conv.mlir | proa-opt --dist-propagate --dist-partition | FileCheck %t/conv.mlir
// RUN: sed s/DEVICES/8/ %t/conv.mlir | proa-opt --dist-propagate --dist-partition | FileCheck %t/conv.mlir
// RUN: proa-opt %t/far.mlir --dist-propagate --dist-partition | FileCheck %t/far.mlir
// RUN: proa-opt %t/two.mlir --dist-propagate --dist-partition | FileCheck %t/two.mlir
//
// DEFINE: %{file} = conv
// DEFINE: %{devices} = 2
// DEFINE: %{compare} = sed s/DEVICES/%{devices}/ %t/%{file}.mlir > %t/shards.mlir && \
// DEFINE:   sed '/^dist.mesh/d;s/, dist.sharding = #dist.sharding<[^>]*>//g' %t/shards.mlir > %t/one.mlir && \
// DEFINE:   proa-run %t/one.mlir --params random:1 -i random:2 --cache off -q -o %t/expected.safetensors && \
// DEFINE:   proa-run %t/shards.mlir --params random:1 -i random:2 --cache off -q --expect=%t/expected.safetensors --simulate-mesh | FileCheck %s --check-prefix=RESULT
// RUN: %{compare}
// REDEFINE: %{devices} = 4
// RUN: %{compare}
// REDEFINE: %{devices} = 8
// RUN: %{compare}
// REDEFINE: %{file} = far
// RUN: %{compare}
// REDEFINE: %{file} = two
// RUN: %{compare}
// REDEFINE: %{file} = uneven
// RUN: %{compare}
// RESULT: PASS

//--- conv.mlir
// Each device receives one row of 32 pixels of 4 channels from both neighbours; the first and the last shard have a row
// of zeros instead.
// CHECK-NOT: dist.all_gather
// CHECK: dist.send {{.*}} to <@mesh_ring, {{.*}} : tensor<2x4x1x32xf32>
// CHECK: dist.send {{.*}} to <@mesh{{(_ring_0)?}}{{.*}} : tensor<2x4x1x32xf32>
// CHECK: %[[BEFORE:.*]] = dist.recv {{.*}} : tensor<2x4x1x32xf32>
// CHECK: pd.pad %[[BEFORE]] {paddings = array<i64: 0, 0, 0, 0, 0, 1, 0, 0>}
// CHECK: %[[AFTER:.*]] = dist.recv {{.*}} : tensor<2x4x1x32xf32>
// CHECK: pd.pad %[[AFTER]] {paddings = array<i64: 0, 0, 0, 0, 0, 1, 0, 0>}
// CHECK-NOT: dist.{{send|recv|all_gather}}
// CHECK: pd.conv2d {{.*}} {paddings = array<i64: 0, 0, 1, 1>}
dist.mesh @mesh = <["x"=DEVICES]>
func.func @main(%x: tensor<2x4x64x32xf32> {pd.feed = "x", dist.sharding = #dist.sharding<@mesh, [{}, {}, {"x"}, {}]>}, %w: tensor<4x4x3x3xf32> {pd.param = "w"}) -> (tensor<2x4x64x32xf32> {pd.fetch = "y", dist.sharding = #dist.sharding<@mesh, [{}, {}, {"x"}, {}]>}) {
  %0 = pd.conv2d %x, %w {paddings = array<i64: 1, 1>} : (tensor<2x4x64x32xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x64x32xf32>
  return %0 : tensor<2x4x64x32xf32>
}

//--- far.mlir
// Windows that reach beyond the neighbours: the whole dimension is gathered.
// CHECK-NOT: dist.send
// CHECK: dist.all_gather
// CHECK-NOT: dist.send
dist.mesh @mesh = <["x"=8]>
func.func @main(%x: tensor<2x4x16x32xf32> {pd.feed = "x", dist.sharding = #dist.sharding<@mesh, [{}, {}, {"x"}, {}]>}, %w: tensor<4x4x7x3xf32> {pd.param = "w"}) -> (tensor<2x4x16x32xf32> {pd.fetch = "y", dist.sharding = #dist.sharding<@mesh, [{}, {}, {"x"}, {}]>}) {
  %0 = pd.conv2d %x, %w {paddings = array<i64: 3, 1>} : (tensor<2x4x16x32xf32>, tensor<4x4x7x3xf32>) -> tensor<2x4x16x32xf32>
  return %0 : tensor<2x4x16x32xf32>
}

//--- two.mlir
// Of two shards the other shard has 2 rows, which is less than the borders of 3 windows: it is gathered.
// CHECK-NOT: dist.send
// CHECK: dist.all_gather
// CHECK-NOT: dist.send
dist.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<2x4x4x32xf32> {pd.feed = "x", dist.sharding = #dist.sharding<@mesh, [{}, {}, {"x"}, {}]>}, %w: tensor<4x4x3x3xf32> {pd.param = "w"}) -> (tensor<2x4x4x32xf32> {pd.fetch = "y", dist.sharding = #dist.sharding<@mesh, [{}, {}, {"x"}, {}]>}) {
  %0 = pd.conv2d %x, %w {paddings = array<i64: 1, 1>} : (tensor<2x4x4x32xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x4x32xf32>
  return %0 : tensor<2x4x4x32xf32>
}

//--- uneven.mlir
// Shards of different sizes, strides, a maximum (whose fill is negative), and borders of different lengths.
dist.mesh @mesh = <["x"=2, "y"=3]>
func.func @main(%x: tensor<2x4x37x32xf64> {pd.feed = "x", dist.sharding = #dist.sharding<@mesh, [{"x"}, {}, {"y"}, {}]>}, %w: tensor<4x4x5x3xf64> {pd.param = "w"}) -> (tensor<2x4x18x32xf64> {pd.fetch = "y"}) {
  %0 = pd.conv2d %x, %w {paddings = array<i64: 2, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<2x4x37x32xf64>, tensor<4x4x5x3xf64>) -> tensor<2x4x36x32xf64>
  %1 = pd.pool2d %0 {kernel_size = array<i64: 3, 3>, paddings = array<i64: 1, 0, 1, 1>, strides = array<i64: 2, 1>} : (tensor<2x4x36x32xf64>) -> tensor<2x4x18x32xf64>
  return %1 : tensor<2x4x18x32xf64>
}
