// RUN: proa-opt %s --dist-propagate --dist-choose-rings | FileCheck %s --check-prefix=COST
// RUN: proa-opt %s --dist-propagate --dist-choose-rings=use=always | FileCheck %s --check-prefix=ALWAYS
// RUN: proa-opt %s --dist-propagate --dist-choose-rings=use=never | FileCheck %s --check-prefix=NEVER
// RUN: proa-opt %s --dist-propagate --dist-choose-rings --remarks=dist-choose-rings -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: proa-opt %s --dist-propagate --dist-choose-rings=use=always --dist-partition --dist-overlap-collectives | FileCheck %s --check-prefix=LOCAL

dist.mesh @m = <["cp"=2]>

// Keys and values of a long sequence take memory that a ring does not need.
// COST-LABEL: func.func @long
// COST: pd.fused_attention {{.*}}ring = true
// NEVER-LABEL: func.func @long
// NEVER-NOT: ring = true
// REMARK: pd.fused_attention becomes a ring of 2 devices: {{.*}} us and {{.*}} MiB as a ring, {{.*}} us and {{.*}} MiB with a gather
func.func @long(%q: tensor<1x1x4096x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>}, %k: tensor<1x1x4096x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>},
                %v: tensor<1x1x4096x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>})
    -> (tensor<1x1x4096x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>}) {
  %0:3 = pd.fused_attention %q, %k, %v : (tensor<1x1x4096x64xf32>, tensor<1x1x4096x64xf32>, tensor<1x1x4096x64xf32>)
    -> (tensor<1x1x4096x64xf32>, tensor<1x1x4096xf32>, tensor<1x1x4096xf32>)
  return %0#0 : tensor<1x1x4096x64xf32>
}

// COST-LABEL: func.func @short
// COST-NOT: ring = true
// ALWAYS-LABEL: func.func @short
// ALWAYS: pd.fused_attention {{.*}}ring = true
// REMARK: pd.fused_attention gathers: {{.*}} us and 0.00 MiB as a ring, {{.*}} us and 0.00 MiB with a gather
// The messages of the first step are on their way while the device uses its own keys and values.
// LOCAL: dist.mesh @m_ring = <["cp"=2], devices = [1, 0]>
// LOCAL-LABEL: func.func @short
// LOCAL: dist.send
// LOCAL-NEXT: %[[K:.*]] = dist.recv {{.*}} : !dist.future<tensor<1x1x4x4xf32>>
// LOCAL: dist.send
// LOCAL-NEXT: %[[V:.*]] = dist.recv {{.*}} : !dist.future<tensor<1x1x4x4xf32>>
// LOCAL-NEXT: %[[OUT:.*]], %[[MAX:.*]], %[[SUM:.*]] = pd.fused_attention %arg0, %arg1, %arg2 :
// LOCAL-NEXT: %[[NEXT_K:.*]] = dist.wait %[[K]]
// LOCAL-NEXT: %[[NEXT_V:.*]] = dist.wait %[[V]]
// LOCAL-NEXT: %{{.*}}, %[[NEXT_MAX:.*]], %{{.*}} = pd.fused_attention %arg0, %[[NEXT_K]], %[[NEXT_V]] :
// A shard of which all scores are -inf has no weight.
// LOCAL-NEXT: pd.maximum %[[MAX]], %[[NEXT_MAX]]
// LOCAL: pd.less_than
// LOCAL: pd.where
// LOCAL: pd.divide
func.func @short(%q: tensor<1x1x8x4xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>}, %k: tensor<1x1x8x4xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>},
                 %v: tensor<1x1x8x4xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>})
    -> (tensor<1x1x8x4xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>}) {
  %0:3 = pd.fused_attention %q, %k, %v : (tensor<1x1x8x4xf32>, tensor<1x1x8x4xf32>, tensor<1x1x8x4xf32>)
    -> (tensor<1x1x8x4xf32>, tensor<1x1x8xf32>, tensor<1x1x8xf32>)
  return %0#0 : tensor<1x1x8x4xf32>
}
