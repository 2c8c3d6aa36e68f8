// RUN: proa-opt %s --proa-store-as-bytes --split-input-file --verify-diagnostics | FileCheck %s

#map = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @select
// CHECK-SAME: %[[MASK:.*]]: tensor<4xi8>
func.func @select(%mask: tensor<4xi1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>) attributes {proa.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[MASK]], %{{.*}} : tensor<4xi8>, tensor<4xf32>)
  // CHECK: ^bb0(%[[BYTE:.*]]: i8, %{{.*}}: f32, %{{.*}}: f32):
  // CHECK: %[[BOOL:.*]] = arith.cmpi ne, %[[BYTE]], %{{.*}} : i8
  // CHECK: arith.select %[[BOOL]]
  %r = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%mask, %x : tensor<4xi1>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%m: i1, %a: f32, %o: f32):
    %s = arith.select %m, %a, %zero : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  // CHECK: tensor.empty() : tensor<4xi8>
  %b = tensor.empty() : tensor<4xi1>
  // CHECK: arith.cmpf
  // CHECK: arith.extui %{{.*}} : i1 to i8
  // CHECK: linalg.yield %{{.*}} : i8
  %c = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%b : tensor<4xi1>) {
  ^bb0(%a: f32, %o: i1):
    %p = arith.cmpf ogt, %a, %zero : f32
    linalg.yield %p : i1
  } -> tensor<4xi1>
  return %r, %c : tensor<4xf32>, tensor<4xi1>
}

// -----

#map = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @constants
func.func @constants(%x: tensor<2xf32>) -> (tensor<2xi1>, tensor<2xi1>, tensor<2xf32>) attributes {proa.kernel} {
  %i = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  // CHECK: arith.constant dense<[1, 0]> : tensor<2xi8>
  %c = arith.constant dense<[true, false]> : tensor<2xi1>
  %t = arith.constant true
  %e = tensor.empty() : tensor<2xi1>
  // CHECK: linalg.fill ins(%{{.*}} : i8) outs(%{{.*}} : tensor<2xi8>)
  %f = linalg.fill ins(%t : i1) outs(%e : tensor<2xi1>) -> tensor<2xi1>
  // CHECK: %[[BYTE:.*]] = tensor.extract {{.*}} : tensor<2xi8>
  // CHECK: arith.cmpi ne, %[[BYTE]]
  %b = tensor.extract %c[%i] : tensor<2xi1>
  %y = tensor.empty() : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<2xf32>) outs(%y : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.select %b, %a, %zero : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  return %c, %f, %r : tensor<2xi1>, tensor<2xi1>, tensor<2xf32>
}

// -----

// A named op does not print its body, which holds the conversions: it becomes a generic one.
// CHECK-LABEL: func.func @named
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4xi8>)
// CHECK: arith.cmpi ne
// CHECK: linalg.yield %{{.*}} : i8
func.func @named(%x: tensor<4xi1>) -> tensor<4xi1> attributes {proa.kernel} {
  %e = tensor.empty() : tensor<4xi1>
  %0 = linalg.copy ins(%x : tensor<4xi1>) outs(%e : tensor<4xi1>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

// Other integers stay.
// CHECK-LABEL: func.func @others
// CHECK-SAME: %{{.*}}: tensor<4xi8>)
// CHECK-NOT: arith.cmpi
func.func @others(%x: tensor<4xi8>) -> tensor<4xi8> attributes {proa.kernel} {
  return %x : tensor<4xi8>
}

// -----

// Near miss: not a kernel, and a kernel without booleans at its interface may be called.
// CHECK-LABEL: func.func @main
// CHECK-SAME: tensor<4xi1>
func.func @main(%mask: tensor<4xi1>, %x: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xf32>) {
  // CHECK: pd.logical_not {{.*}} -> tensor<4xi1>
  %0 = pd.logical_not %mask : (tensor<4xi1>) -> tensor<4xi1>
  %1 = call @kernel(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xi1>, tensor<4xf32>
}
func.func private @kernel(%x: tensor<4xf32>) -> tensor<4xf32> attributes {proa.kernel} {
  return %x : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xi1>) -> tensor<4xi1> {
  // expected-note @below {{used here}}
  %0 = call @called(%x) : (tensor<4xi1>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
// expected-error @below {{kernel 'called' is called, but its signature must change, expected a module of kernels only (--proa-extract-kernels)}}
func.func private @called(%x: tensor<4xi1>) -> tensor<4xi1> attributes {proa.kernel} {
  return %x : tensor<4xi1>
}

// -----

func.func private @unknown(%x: tensor<4xi8>) -> tensor<4xi1> attributes {proa.kernel} {
  %zero = arith.constant dense<0> : tensor<4xi8>
  // expected-error @below {{'arith.cmpi' has tensors of i1 or 8-bit floats, which are bytes in a kernel, expected a linalg or tensor op or a constant}}
  %0 = arith.cmpi ne, %x, %zero : tensor<4xi8>
  return %0 : tensor<4xi1>
}

// -----

#map = affine_map<(d0) -> (d0)>

// 8-bit floats are bytes too; scalars keep their types.
// CHECK-LABEL: func.func @float8
// CHECK-SAME: %[[X:.*]]: tensor<2xi8>) -> (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>)
func.func @float8(%x: tensor<2xf8E4M3FN>) -> (tensor<2xf8E5M2>, tensor<2xf8E4M3FN>, tensor<2xf8E5M2>)
    attributes {proa.kernel} {
  // CHECK-DAG: arith.constant dense<[56, -64]> : tensor<2xi8>
  %c = arith.constant dense<[1.0, -2.0]> : tensor<2xf8E4M3FN>
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f8E5M2
  %one = arith.constant 1.0 : f8E5M2
  %e = tensor.empty() : tensor<2xf8E5M2>
  // CHECK: ^bb0(%[[A:.*]]: i8, %{{.*}}: i8):
  // CHECK: %[[NUMBER:.*]] = arith.bitcast %[[A]] : i8 to f8E4M3FN
  // CHECK: %[[WIDE:.*]] = arith.extf %[[NUMBER]] : f8E4M3FN to f32
  // CHECK: %[[NARROW:.*]] = arith.truncf %[[WIDE]] : f32 to f8E5M2
  // CHECK: %[[BYTE:.*]] = arith.bitcast %[[NARROW]] : f8E5M2 to i8
  // CHECK: linalg.yield %[[BYTE]] : i8
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<2xf8E4M3FN>) outs(%e : tensor<2xf8E5M2>) {
  ^bb0(%a: f8E4M3FN, %o: f8E5M2):
    %w = arith.extf %a : f8E4M3FN to f32
    %n = arith.truncf %w : f32 to f8E5M2
    linalg.yield %n : f8E5M2
  } -> tensor<2xf8E5M2>
  // CHECK: %[[FILL:.*]] = arith.bitcast %[[ONE]] : f8E5M2 to i8
  // CHECK: linalg.fill ins(%[[FILL]] : i8)
  %f = linalg.fill ins(%one : f8E5M2) outs(%e : tensor<2xf8E5M2>) -> tensor<2xf8E5M2>
  return %r, %c, %f : tensor<2xf8E5M2>, tensor<2xf8E4M3FN>, tensor<2xf8E5M2>
}
