// RUN: proa-opt %s --dist-decompose-rings=min-bytes=100 --remarks=dist-decompose-rings 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

dist.mesh @m = <["x"=3]>

// A send is an effect, which pd.checkpoint excludes.
// CHECK-LABEL: @recomputed
// CHECK: dist.all_gather
// CHECK-NEXT: pd.matmul
// REMARK: dist.all_gather stays: a send is an effect, which pd.checkpoint does not allow
func.func @recomputed(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<12x6xf32> {
  %0 = pd.checkpoint(%x, %w : tensor<4x8xf32>, tensor<8x6xf32>) : tensor<12x6xf32> {
  ^bb0(%y: tensor<4x8xf32>, %v: tensor<8x6xf32>):
    %1 = dist.all_gather %y of tensor<12x8xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<4x8xf32> -> tensor<12x8xf32>
    %2 = pd.matmul %1, %v : (tensor<12x8xf32>, tensor<8x6xf32>) -> tensor<12x6xf32>
    pd.yield %2 : tensor<12x6xf32>
  }
  return %0 : tensor<12x6xf32>
}
