// dist-apply-strategy in a module that has a mesh.
// RUN: proa-opt %s --dist-apply-strategy=strategy=dp,mp | FileCheck %s --check-prefixes=CHECK,BOTH
// RUN: proa-opt %s --dist-apply-strategy=strategy=dp2,tp3,sp | FileCheck %s --check-prefixes=CHECK,BOTH
// RUN: proa-opt %s --dist-apply-strategy=strategy=dp --remarks=dist-apply-strategy 2>&1 | FileCheck %s --check-prefix=DATA
// RUN: not proa-opt %s --dist-apply-strategy=strategy=dp4,cp,mp3 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: sed 's/^.* MESHES //' %s | not proa-opt --dist-apply-strategy=strategy=dp 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: sed '/^dist.mesh/d' %s | not proa-opt --dist-apply-strategy=strategy=dp2 2>&1 | FileCheck %s --check-prefix=OTHER

// The order, the devices and the name of the mesh are kept.
// CHECK: dist.mesh @stages = <["pp"=1, "mp"=3, "dp"=2], devices = [6, 7, 8, 9, 10, 11]>
// CHECK-NOT: dist.mesh
dist.mesh @stages = <["pp"=1, "mp"=3, "dp"=2], devices = [6, 7, 8, 9, 10, 11]>
// MESHES dist.mesh @b = <["dp"=2]>

// An annotated argument keeps its sharding.
// BOTH: @main
// BOTH-SAME: %arg0: tensor<8x18xf32> {dist.sharding = #dist.sharding<@stages, [{"dp"}, {}]>, pd.feed = "x"}
// BOTH-SAME: %arg1: tensor<18x60xf32> {dist.sharding = #dist.sharding<@stages, [{}, {"mp"}]>
// BOTH-SAME: %arg2: tensor<60x18xf32> {dist.sharding = #dist.sharding<@stages, [{}, {"dp"}]>
// DATA: the strategy does not use the axis 'mp' of the mesh
// DATA-NOT: axis 'pp'
// DATA: @main(%arg0
// DATA-SAME: : tensor<8x18xf32> {dist.sharding = #dist.sharding<@stages, [{"dp"}, {}]>, pd.feed = "x"}
// DATA-SAME: %arg1: tensor<18x60xf32> {dist.sharding = #dist.sharding<@stages, [{}, {}]>
// DIFFER: 'dp4' and the mesh 'pp=1,mp=3,dp=2' disagree: expected dp2, or a mesh with dp=4
// DIFFER: 'cp' splits over the axis 'cp', which the mesh 'pp=1,mp=3,dp=2' lacks
// SEVERAL: expected at most one dist.mesh, found 2
// OTHER: sharding of argument 2: expected the mesh @mesh of the strategy, found @stages
func.func @main(%x: tensor<8x18xf32> {pd.feed = "x"}, %w: tensor<18x60xf32> {pd.param = "w"},
                %v: tensor<60x18xf32> {dist.sharding = #dist.sharding<@stages, [{}, {"dp"}]>, pd.param = "v"})
    -> tensor<8x18xf32> {
  %0 = pd.matmul %x, %w : (tensor<8x18xf32>, tensor<18x60xf32>) -> tensor<8x60xf32>
  %1 = pd.matmul %0, %v : (tensor<8x60xf32>, tensor<60x18xf32>) -> tensor<8x18xf32>
  return %1 : tensor<8x18xf32>
}
