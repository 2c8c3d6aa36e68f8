// RUN: proa-opt %s --dist-propagate=check | FileCheck %s
// RUN: proa-opt %s --dist-propagate --dist-partition=rank=0 | FileCheck %s --check-prefix=LOCAL

dist.mesh @m = <["mp"=4]>

// The softmax over split classes: a maximum and a sum of each row instead of all logits.
// CHECK-LABEL: @classes
// CHECK-NEXT: pd.softmax %arg0 {{.*}}[{}, {"mp"}]
// CHECK-NEXT: return
// LOCAL-LABEL: @classes
// LOCAL: dist.all_reduce {{.*}}partial = [max {"mp"}]
// LOCAL: dist.all_reduce {{.*}}partial = [sum {"mp"}]
// LOCAL-NOT: dist.all
// LOCAL: return
func.func @classes(%x: tensor<64x30000xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>}) -> tensor<64x30000xf32> {
  %0 = pd.softmax %x {axis = 1} : (tensor<64x30000xf32>) -> tensor<64x30000xf32>
  return %0 : tensor<64x30000xf32>
}

// Each device has the logits of some labels: the third sum takes them together.
// CHECK-LABEL: @labels
// CHECK-NEXT: pd.cross_entropy_with_softmax %arg0, %arg1 {{.*}}[{}, {"mp"}]
// LOCAL-LABEL: @labels
// LOCAL: dist.all_reduce {{.*}}partial = [max {"mp"}]
// LOCAL: dist.all_reduce {{.*}}partial = [sum {"mp"}]
// LOCAL: dist.all_reduce {{.*}}partial = [sum {"mp"}]
// LOCAL-NOT: dist.all
// LOCAL: return
func.func @labels(%x: tensor<64x30000xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>}, %label: tensor<64x1xi64>) -> tensor<64x1xf32> {
  %0:2 = pd.cross_entropy_with_softmax %x, %label : (tensor<64x30000xf32>, tensor<64x1xi64>) -> (tensor<64x30000xf32>, tensor<64x1xf32>)
  return %0#1 : tensor<64x1xf32>
}

// Few logits are gathered in less time.
// CHECK-LABEL: @few_classes
// CHECK-NEXT: dist.reshard %arg0
// CHECK-NEXT: pd.softmax
func.func @few_classes(%x: tensor<4x16xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>}) -> tensor<4x16xf32> {
  %0 = pd.softmax %x {axis = 1} : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// Statistics of a batch over all devices.
// CHECK-LABEL: @batch
// CHECK-NEXT: pd.batch_norm %arg0, {{.*}}[{"mp"}, {}, {}, {}]
// LOCAL-LABEL: @batch
// LOCAL-COUNT-2: dist.all_reduce {{.*}}partial = [sum {"mp"}]
// LOCAL-NOT: dist.all
// LOCAL: return
func.func @batch(%x: tensor<32x16x56x56xf32> {dist.sharding = #dist.sharding<@m, [{"mp"}, {}, {}, {}]>}, %c: tensor<16xf32>) -> tensor<32x16x56x56xf32> {
  %0:6 = pd.batch_norm %x, %c, %c : (tensor<32x16x56x56xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<32x16x56x56xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<0xf32>)
  return %0#0 : tensor<32x16x56x56xf32>
}

// CHECK-LABEL: @features
// CHECK-NEXT: pd.layer_norm %arg0 scale = %arg1 {{.*}}[{}, {"mp"}]
func.func @features(%x: tensor<4096x4096xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>}, %s: tensor<4096xf32>) -> tensor<4096x4096xf32> {
  %0:3 = pd.layer_norm %x scale = %s : (tensor<4096x4096xf32>, tensor<4096xf32>) -> (tensor<4096x4096xf32>, tensor<4096xf32>, tensor<4096xf32>)
  return %0#0 : tensor<4096x4096xf32>
}

// Shards of 1 and 2 rows.
// CHECK-LABEL: @groups
// CHECK-NEXT: pd.group_norm %arg0
// LOCAL-LABEL: @groups
// LOCAL: dist.all_reduce
// LOCAL: return %{{.*}} : tensor<2x8x2x3000xf32>
func.func @groups(%x: tensor<2x8x7x3000xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"mp"}, {}]>}) -> tensor<2x8x7x3000xf32> {
  %0:3 = pd.group_norm %x {groups = 2} : (tensor<2x8x7x3000xf32>) -> (tensor<2x8x7x3000xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  return %0#0 : tensor<2x8x7x3000xf32>
}

// The dims of a value that is both operands belong to two factors, of which one is split.
// CHECK-LABEL: @pairs
// CHECK: pd.einsum %arg0, %{{.*}}[{}, {"mp"}, {}, {}]
func.func @pairs(%x: tensor<2x8x6xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}, {}]>}) -> tensor<2x8x8x6xf32> {
  %0 = pd.einsum %x, %x {equation = "bmd,bnd->bmnd"} : (tensor<2x8x6xf32>, tensor<2x8x6xf32>) -> tensor<2x8x8x6xf32>
  return %0 : tensor<2x8x8x6xf32>
}

// The program of a device knows the size of its window: 4 of 13 rows.
// LOCAL-LABEL: @uneven_windows
// LOCAL-NOT: tensor.cast
// LOCAL: pd.conv2d {{.*}} -> tensor<1x8x4x62xf32>
// LOCAL-NOT: tensor.cast
// LOCAL: return
func.func @uneven_windows(%x: tensor<1x3x15x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"mp"}, {}]>}, %w: tensor<8x3x3x3xf32>)
    -> (tensor<1x8x13x62xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"mp"}, {}]>}) {
  %0 = pd.conv2d %x, %w : (tensor<1x3x15x64xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x13x62xf32>
  return %0 : tensor<1x8x13x62xf32>
}
