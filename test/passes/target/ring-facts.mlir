// The times of rings and gathers follow from the target's links and rates.
// RUN: proa-opt %s --split-input-file --dist-propagate --dist-choose-rings --remarks=dist-choose-rings 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// CHECK-LABEL: func.func @known
// CHECK: pd.fused_attention {{.*}}ring = true
// REMARK: pd.fused_attention becomes a ring of 2 devices
dist.mesh @m = <["cp"=2]>
func.func @known(%q: tensor<1x1x4096x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>}, %k: tensor<1x1x4096x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>},
                 %v: tensor<1x1x4096x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>})
    -> (tensor<1x1x4096x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>}) {
  %0:3 = pd.fused_attention %q, %k, %v : (tensor<1x1x4096x64xf32>, tensor<1x1x4096x64xf32>, tensor<1x1x4096x64xf32>)
    -> (tensor<1x1x4096x64xf32>, tensor<1x1x4096xf32>, tensor<1x1x4096xf32>)
  return %0#0 : tensor<1x1x4096x64xf32>
}

// -----
// Further steps that take 10 ms each are not worth the memory.
// CHECK-LABEL: func.func @slow_steps
// CHECK-NOT: ring = true
// REMARK: pd.fused_attention gathers: 1{{[0-9][0-9][0-9][0-9][0-9]}}.{{[0-9]}} us
module attributes {proa.target = #proa.target<cpu "avx2" {step_nanoseconds = 10000000}>} {
dist.mesh @m = <["cp"=2]>
func.func @slow_steps(%q: tensor<1x1x4096x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>}, %k: tensor<1x1x4096x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>},
                 %v: tensor<1x1x4096x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>})
    -> (tensor<1x1x4096x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>}) {
  %0:3 = pd.fused_attention %q, %k, %v : (tensor<1x1x4096x64xf32>, tensor<1x1x4096x64xf32>, tensor<1x1x4096x64xf32>)
    -> (tensor<1x1x4096x64xf32>, tensor<1x1x4096xf32>, tensor<1x1x4096xf32>)
  return %0#0 : tensor<1x1x4096x64xf32>
}
}
