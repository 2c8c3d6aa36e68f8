// RUN: proa-opt %s --proa-set-target=gpu=sm_90a --proa-form-online-sums --split-input-file \
// RUN:   --remarks=proa-form-online-sums 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// A reduction with two results, a sum that is NaN where the maximum is infinite, and no sum of the stored exponentials.
// CHECK-LABEL: func.func @long
// CHECK: %[[R:.*]]:2 = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<8x32768xf32>)
// CHECK: ^bb0(%[[X:.*]]: f32, %[[M:.*]]: f32, %[[S:.*]]: f32):
// CHECK: %[[OTHER:.*]] = arith.cmpf ogt, %[[X]], %[[M]]
// CHECK: %[[MAX:.*]] = arith.maxnumf %[[M]], %[[X]]
// CHECK: %[[F:.*]] = math.exp2 {{.*}} fastmath<afn>
// CHECK: %[[L:.*]] = arith.select %[[OTHER]], %[[ONE:.*]], %[[S]]
// CHECK: %[[SMALL:.*]] = arith.select %[[OTHER]], %[[S]], %[[ONE]]
// CHECK: %[[P:.*]] = arith.mulf %[[SMALL]], %[[F]] fastmath<contract>
// CHECK: %[[SUM:.*]] = arith.addf %[[L]], %[[P]] fastmath<contract>
// CHECK: linalg.yield %[[MAX]], %[[SUM]]
// CHECK: linalg.generic {{.*}} ins(%[[R]]#0, %[[R]]#1
// CHECK: arith.subf
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[R]]#0 : tensor<8x32768xf32>, tensor<8xf32>)
// CHECK-NOT: "reduction"
// CHECK: return
// REMARK: the maximum of a row and the sum of its exponentials are one reduction: its exponentials take 131072 bytes, each of {{[0-9]+}} blocks has {{[0-9]+}} of shared memory
func.func @long(%x: tensor<8x32768xf32>, %o: tensor<8x32768xf32>) -> tensor<8x32768xf32> attributes {proa.kernel} {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %bound = arith.constant -64.0 : f32
  %e0 = tensor.empty() : tensor<8xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<8xf32>) -> tensor<8xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x32768xf32>) outs(%m0 : tensor<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %g = arith.maxnumf %s, %a : f32
    linalg.yield %g : f32
  } -> tensor<8xf32>
  %e1 = tensor.empty() : tensor<8x32768xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<8x32768xf32>, tensor<8xf32>) outs(%e1 : tensor<8x32768xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %d = arith.subf %a, %b : f32
    %l = arith.cmpf olt, %d, %bound : f32
    %c = arith.select %l, %bound, %d : f32
    %p = math.exp %c : f32
    linalg.yield %p : f32
  } -> tensor<8x32768xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%e : tensor<8x32768xf32>) outs(%s0 : tensor<8xf32>) {
  ^bb0(%a: f32, %t: f32):
    %u = arith.addf %t, %a : f32
    linalg.yield %u : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%e, %s : tensor<8x32768xf32>, tensor<8xf32>) outs(%e1 : tensor<8x32768xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<8x32768xf32>
  return %y : tensor<8x32768xf32>
}

// -----

// Near miss: the exponentials fit the shared memory.
// CHECK-LABEL: func.func @short
// CHECK-NOT: linalg.yield {{.*}}, {{.*}}
// CHECK: return
// REMARK: the exponentials of a row, {{[0-9]+}} bytes, fit the {{[0-9]+}} bytes of shared memory that each of
func.func @short(%x: tensor<8x1024xf32>, %o: tensor<8x1024xf32>) -> tensor<8x1024xf32> attributes {proa.kernel} {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %bound = arith.constant -64.0 : f32
  %e0 = tensor.empty() : tensor<8xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<8xf32>) -> tensor<8xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x1024xf32>) outs(%m0 : tensor<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %g = arith.maxnumf %s, %a : f32
    linalg.yield %g : f32
  } -> tensor<8xf32>
  %e1 = tensor.empty() : tensor<8x1024xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<8x1024xf32>, tensor<8xf32>) outs(%e1 : tensor<8x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %d = arith.subf %a, %b : f32
    %l = arith.cmpf olt, %d, %bound : f32
    %c = arith.select %l, %bound, %d : f32
    %p = math.exp %c : f32
    linalg.yield %p : f32
  } -> tensor<8x1024xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%e : tensor<8x1024xf32>) outs(%s0 : tensor<8xf32>) {
  ^bb0(%a: f32, %t: f32):
    %u = arith.addf %t, %a : f32
    linalg.yield %u : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%e, %s : tensor<8x1024xf32>, tensor<8xf32>) outs(%e1 : tensor<8x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<8x1024xf32>
  return %y : tensor<8x1024xf32>
}

// -----

// Near miss: exponentials of another tensor.
// CHECK-LABEL: func.func @other
// CHECK-NOT: linalg.yield {{.*}}, {{.*}}
// CHECK: return
// REMARK: the exponentials are not relative to the maximum of their elements
func.func @other(%x: tensor<8x32768xf32>, %o: tensor<8x32768xf32>) -> tensor<8x32768xf32> attributes {proa.kernel} {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %bound = arith.constant -64.0 : f32
  %e0 = tensor.empty() : tensor<8xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<8xf32>) -> tensor<8xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x32768xf32>) outs(%m0 : tensor<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %g = arith.maxnumf %s, %a : f32
    linalg.yield %g : f32
  } -> tensor<8xf32>
  %e1 = tensor.empty() : tensor<8x32768xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%o, %m : tensor<8x32768xf32>, tensor<8xf32>) outs(%e1 : tensor<8x32768xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %d = arith.subf %a, %b : f32
    %l = arith.cmpf olt, %d, %bound : f32
    %c = arith.select %l, %bound, %d : f32
    %p = math.exp %c : f32
    linalg.yield %p : f32
  } -> tensor<8x32768xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%e : tensor<8x32768xf32>) outs(%s0 : tensor<8xf32>) {
  ^bb0(%a: f32, %t: f32):
    %u = arith.addf %t, %a : f32
    linalg.yield %u : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%e, %s : tensor<8x32768xf32>, tensor<8xf32>) outs(%e1 : tensor<8x32768xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<8x32768xf32>
  return %y : tensor<8x32768xf32>
}

// -----

// Near miss: a lower bound that changes the sum.
// CHECK-LABEL: func.func @bounded
// CHECK-NOT: linalg.yield {{.*}}, {{.*}}
// CHECK: return
// REMARK: does not add exponentials of differences from a maximum
func.func @bounded(%x: tensor<8x32768xf32>, %o: tensor<8x32768xf32>) -> tensor<8x32768xf32> attributes {proa.kernel} {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %bound = arith.constant -1.0 : f32
  %e0 = tensor.empty() : tensor<8xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<8xf32>) -> tensor<8xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x32768xf32>) outs(%m0 : tensor<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %g = arith.maxnumf %s, %a : f32
    linalg.yield %g : f32
  } -> tensor<8xf32>
  %e1 = tensor.empty() : tensor<8x32768xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<8x32768xf32>, tensor<8xf32>) outs(%e1 : tensor<8x32768xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %d = arith.subf %a, %b : f32
    %l = arith.cmpf olt, %d, %bound : f32
    %c = arith.select %l, %bound, %d : f32
    %p = math.exp %c : f32
    linalg.yield %p : f32
  } -> tensor<8x32768xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%e : tensor<8x32768xf32>) outs(%s0 : tensor<8xf32>) {
  ^bb0(%a: f32, %t: f32):
    %u = arith.addf %t, %a : f32
    linalg.yield %u : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%e, %s : tensor<8x32768xf32>, tensor<8xf32>) outs(%e1 : tensor<8x32768xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<8x32768xf32>
  return %y : tensor<8x32768xf32>
}

// -----

// Near miss: a minimum.
// CHECK-LABEL: func.func @minimum
// CHECK-NOT: linalg.yield {{.*}}, {{.*}}
// CHECK: return
// REMARK: the exponentials are not relative to the maximum of their elements
func.func @minimum(%x: tensor<8x32768xf32>, %o: tensor<8x32768xf32>) -> tensor<8x32768xf32> attributes {proa.kernel} {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %bound = arith.constant -64.0 : f32
  %e0 = tensor.empty() : tensor<8xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<8xf32>) -> tensor<8xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x32768xf32>) outs(%m0 : tensor<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %g = arith.minnumf %s, %a : f32
    linalg.yield %g : f32
  } -> tensor<8xf32>
  %e1 = tensor.empty() : tensor<8x32768xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<8x32768xf32>, tensor<8xf32>) outs(%e1 : tensor<8x32768xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %d = arith.subf %a, %b : f32
    %l = arith.cmpf olt, %d, %bound : f32
    %c = arith.select %l, %bound, %d : f32
    %p = math.exp %c : f32
    linalg.yield %p : f32
  } -> tensor<8x32768xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%e : tensor<8x32768xf32>) outs(%s0 : tensor<8xf32>) {
  ^bb0(%a: f32, %t: f32):
    %u = arith.addf %t, %a : f32
    linalg.yield %u : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%e, %s : tensor<8x32768xf32>, tensor<8xf32>) outs(%e1 : tensor<8x32768xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<8x32768xf32>
  return %y : tensor<8x32768xf32>
}
