// RUN: proa-opt --pd-lower-to-linalg --split-input-file %s | FileCheck %s
// RUN: proa-opt --pd-lower-to-linalg --proa-lower-gpu-kernels --split-input-file %s -o /dev/null
// RUN: proa-opt --pd-lower-to-linalg --split-input-file %s --remarks=pd-lower-to-linalg -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// An op of ThreadOpInterface becomes the code of one thread; the words of index checks and scratch memory are arguments
// before the range of rows.
// REMARK: pd.cumsum is computed by blocks of 256 threads, strategy 'tiles': 3 x 1 lines of 1000 elements; a thread scans a line of at most 64 elements, or of 16384 lines of which 32 are adjacent
// CHECK-LABEL: func.func private @scan(
// CHECK-SAME: %{{.*}}: memref<3x1000xf32> {llvm.noalias}, %{{.*}}: memref<3x1000xf32> {llvm.noalias}, %{{.*}}: index, %{{.*}}: index)
// CHECK-SAME: proa.device_kernel = #proa.device_kernel<threads>
// CHECK-SAME: proa.launch = #proa.launch<threads = 256>
// CHECK-SAME: proa.rows = #proa.rows<count = 3, nanoseconds
// CHECK-SAME: proa.strategy = #proa.strategy<tiles>
// CHECK: gpu.thread_id x
// CHECK: scf.for
// CHECK: gpu.barrier
func.func private @scan(%x: tensor<3x1000xf32>) -> tensor<3x1000xf32> attributes {proa.kernel} {
  %0 = pd.cumsum %x {axis = 1 : i64} : (tensor<3x1000xf32>) -> tensor<3x1000xf32>
  return %0 : tensor<3x1000xf32>
}

// -----

// An attribute overrides the choice.
// REMARK: pd.cumsum is computed by blocks of 256 threads, strategy 'lines': the op requests it
// CHECK-LABEL: func.func private @strategy(
// CHECK-SAME: proa.strategy = #proa.strategy<lines>
func.func private @strategy(%x: tensor<3x1000xf32>) -> tensor<3x1000xf32> attributes {proa.kernel} {
  %0 = "pd.cumsum"(%x) <{axis = 1 : i64}> {proa.strategy = #proa.strategy<lines>} : (tensor<3x1000xf32>) -> tensor<3x1000xf32>
  return %0 : tensor<3x1000xf32>
}

// -----

// A long line is sorted in scratch memory, whose size the shape function computes.
// REMARK: pd.argsort is computed by blocks of 256 threads, strategy 'merge': a line has ? elements; a block sorts at most 4096 in shared memory
// CHECK-LABEL: func.func private @sort(
// CHECK-SAME: memref<i8>
// CHECK-SAME: proa.scratch = #proa.scratch<buffers = {{\[\[}}?]]>
// CHECK-SAME: proa.strategy = #proa.strategy<merge>
// CHECK-LABEL: func.func private @sort_shape
func.func private @sort(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xi64>) attributes {proa.kernel} {
  %0:2 = pd.argsort %x {axis = 0 : i64} : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xi64>)
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xi64>
}

// -----

// The best elements of a long line are selected in shared memory.
// REMARK: pd.topk is computed by blocks of 256 threads, strategy 'select': a line has 10000 elements; a block sorts at most 4096 in shared memory, and selects at most 2048 there, of which k is 5
// CHECK-LABEL: func.func private @topk(
// CHECK-SAME: proa.strategy = #proa.strategy<select>
func.func private @topk(%x: tensor<10000xf32>) -> (tensor<5xf32>, tensor<5xi64>) attributes {proa.kernel} {
  %0:2 = pd.topk %x {k = 5 : i64, axis = 0 : i64} : (tensor<10000xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return %0#0, %0#1 : tensor<5xf32>, tensor<5xi64>
}

// -----

// Blocks own slices of the result.
// REMARK: rt.scatter_owned is computed by blocks of 32 threads, strategy 'ordered': a block owns 1 of 8 slices of 4 elements
// CHECK-LABEL: func.func private @scatter(
// CHECK-SAME: proa.strategy = #proa.strategy<ordered>
func.func private @scatter(%k: tensor<6xi32>, %u: tensor<6x4xf32>) -> tensor<8x4xf32> attributes {proa.kernel} {
  %0 = rt.scatter_owned %k, %u {depth = 1 : i64, reduce = #pd<scatter_reduce add>}
      : (tensor<6xi32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// A wrong index is stored, and nothing is read at it.
// CHECK-LABEL: func.func private @gather(
// CHECK-SAME: memref<i64>
// CHECK-SAME: proa.index_checks = [#proa.index_check<indices = 1, bound = 0, kind = index_from_end>]
// CHECK: linalg.generic
// CHECK: memref.atomic_rmw minu
// CHECK: scf.if
func.func private @gather(%x: tensor<?x4xf32>, %i: tensor<6xi64>) -> tensor<6x4xf32> attributes {proa.kernel} {
  %0 = pd.gather %x, %i {axis = 0 : i64} : (tensor<?x4xf32>, tensor<6xi64>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// -----

// The greatest element and its index are combined together.
// CHECK-LABEL: func.func private @argmax(
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK-SAME: outs(%{{.*}}, %{{.*}} : tensor<3xf32>, tensor<3xi64>)
// CHECK-SAME: proa.loops = #proa.loops<neutral = [-3.40282347E+38 : f32, 0]>
func.func private @argmax(%x: tensor<3x5xf32>) -> tensor<3xi64> attributes {proa.kernel} {
  %0 = pd.argmax %x {axis = 1 : i64, dtype = i64} : (tensor<3x5xf32>) -> tensor<3xi64>
  return %0 : tensor<3xi64>
}
