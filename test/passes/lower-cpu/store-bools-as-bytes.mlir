// RUN: proa-opt %s --store-bools-as-bytes --split-input-file | FileCheck %s

#map = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @select
// CHECK-SAME: %[[MASK:.*]]: tensor<4xi8>
func.func @select(%mask: tensor<4xi1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>) {
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

// CHECK-LABEL: func.func @constants
func.func @constants(%i: index) -> (tensor<2xi1>, tensor<2xi1>, i1) {
  // CHECK: arith.constant dense<[1, 0]> : tensor<2xi8>
  %c = arith.constant dense<[true, false]> : tensor<2xi1>
  %t = arith.constant true
  %e = tensor.empty() : tensor<2xi1>
  // CHECK: linalg.fill ins(%{{.*}} : i8) outs(%{{.*}} : tensor<2xi8>)
  %f = linalg.fill ins(%t : i1) outs(%e : tensor<2xi1>) -> tensor<2xi1>
  // CHECK: %[[BYTE:.*]] = tensor.extract {{.*}} : tensor<2xi8>
  // CHECK: arith.cmpi ne, %[[BYTE]]
  %x = tensor.extract %c[%i] : tensor<2xi1>
  return %c, %f, %x : tensor<2xi1>, tensor<2xi1>, i1
}

// -----

// Other integers and boolean scalars stay.
// CHECK-LABEL: func.func @others
// CHECK-SAME: %{{.*}}: tensor<4xi8>, %{{.*}}: i1
// CHECK-NOT: arith.cmpi
func.func @others(%x: tensor<4xi8>, %b: i1) -> (tensor<4xi8>, i1) {
  return %x, %b : tensor<4xi8>, i1
}
