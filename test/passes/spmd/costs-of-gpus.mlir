// RUN: proa-opt %s --proa-set-target=gpu=sm_90a --dist-propagate --dist-choose-rings --remarks=dist-choose-rings -o /dev/null 2>&1 | FileCheck %s

// Links, steps and rates are the GPU's. 34.4 GFLOP take 580 us without tensor cores (59.3 TFLOP/s) and 36 us with them
// (949 TFLOP/s); 16 MiB take 37 us, 8 MiB 19 us, two messages 10 us more, and the second step of a ring 10 us.
dist.mesh @m = <["cp"=2]>

// CHECK: pd.fused_attention becomes a ring of 2 devices: 589{{.*}} us and {{.*}} MiB as a ring, 626{{.*}} us and {{.*}} MiB with a gather
func.func @float32(%q: tensor<1x16x4096x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>}, %k: tensor<1x16x4096x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>},
                   %v: tensor<1x16x4096x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>})
    -> (tensor<1x16x4096x64xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>}) {
  %0:3 = pd.fused_attention %q, %k, %v : (tensor<1x16x4096x64xf32>, tensor<1x16x4096x64xf32>, tensor<1x16x4096x64xf32>)
    -> (tensor<1x16x4096x64xf32>, tensor<1x16x4096xf32>, tensor<1x16x4096xf32>)
  return %0#0 : tensor<1x16x4096x64xf32>
}

// CHECK: pd.fused_attention becomes a ring of 2 devices: 56{{.*}} us and {{.*}} MiB as a ring, 64{{.*}} us and {{.*}} MiB with a gather
func.func @bfloat16(%q: tensor<1x16x4096x64xbf16> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>}, %k: tensor<1x16x4096x64xbf16> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>},
                    %v: tensor<1x16x4096x64xbf16> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>})
    -> (tensor<1x16x4096x64xbf16> {dist.sharding = #dist.sharding<@m, [{}, {}, {"cp"}, {}]>}) {
  %0:3 = pd.fused_attention %q, %k, %v : (tensor<1x16x4096x64xbf16>, tensor<1x16x4096x64xbf16>, tensor<1x16x4096x64xbf16>)
    -> (tensor<1x16x4096x64xbf16>, tensor<1x16x4096xf32>, tensor<1x16x4096xf32>)
  return %0#0 : tensor<1x16x4096x64xbf16>
}
