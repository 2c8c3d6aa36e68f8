// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: @precisions
func.func @precisions(%d: tensor<8x6xf32>, %l: tensor<4x6xf32>, %o: tensor<3xi64>, %h: tensor<1xi32>, %c: tensor<4x1xi32>, %t: tensor<?x2xf32>, %e: tensor<5xi64>) -> (tensor<1xf32>, tensor<4x1xi32>) {
  // CHECK: pd.detection_map %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} {class_num
  %0:6 = pd.detection_map %d, %l, %o, %o {class_num = 4 : i64} : (tensor<8x6xf32>, tensor<4x6xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<4x1xi32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<1xf32>, tensor<5xi64>, tensor<5xi64>)
  // CHECK: pd.detection_map {{.*}} state {{.*}} counts {{.*}} -> (tensor<4x1xi32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<1xf32>, tensor<5xi64>, tensor<5xi64>)
  %1:6 = pd.detection_map %d, %l, %o, %o state %h counts %c %t, %t, %e, %e {class_num = 4 : i64, ap_type = "11point"} : (tensor<8x6xf32>, tensor<4x6xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1xi32>, tensor<4x1xi32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<5xi64>, tensor<5xi64>) -> (tensor<4x1xi32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<1xf32>, tensor<5xi64>, tensor<5xi64>)
  return %0#3, %1#0 : tensor<1xf32>, tensor<4x1xi32>
}
