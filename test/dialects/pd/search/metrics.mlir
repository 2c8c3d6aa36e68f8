// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: @measured
func.func @measured(%x: tensor<8x1xi64>, %o: tensor<3xi64>, %p: tensor<8x1xf32>, %s: tensor<3x4xf32>) -> (tensor<1xf32>, tensor<6xf64>) {
  // CHECK: pd.chunk_eval %{{.*}}, %{{.*}} offsets = %{{.*}} -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
  %0:6 = pd.chunk_eval %x, %x offsets = %o chunk_scheme = IOE {num_chunk_types = 3 : i64} : (tensor<8x1xi64>, tensor<8x1xi64>, tensor<3xi64>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
  // CHECK: pd.precision_recall %{{.*}} states = %{{.*}} -> (tensor<6xf64>, tensor<6xf64>, tensor<3x4xf32>)
  %1:3 = pd.precision_recall %p, %x, %x states = %s {class_number = 3 : i64} : (tensor<8x1xf32>, tensor<8x1xi64>, tensor<8x1xi64>, tensor<3x4xf32>) -> (tensor<6xf64>, tensor<6xf64>, tensor<3x4xf32>)
  return %0#0, %1#0 : tensor<1xf32>, tensor<6xf64>
}

// CHECK-LABEL: func @detection_map
func.func @detection_map(%a: tensor<8x6xf32>, %b: tensor<4x6xf32>, %c: tensor<3xi64>) {
  // CHECK: pd.detection_map %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {class_num = 4 : i64} : (tensor<8x6xf32>, tensor<4x6xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<4x1xi32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<1xf32>, tensor<5xi64>, tensor<5xi64>)
  %0:6 = pd.detection_map %a, %b, %c, %c {class_num = 4 : i64} : (tensor<8x6xf32>, tensor<4x6xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<4x1xi32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<1xf32>, tensor<5xi64>, tensor<5xi64>)
  return
}

// CHECK-LABEL: @precisions
func.func @precisions(%d: tensor<8x6xf32>, %l: tensor<4x6xf32>, %o: tensor<3xi64>, %h: tensor<1xi32>, %c: tensor<4x1xi32>, %t: tensor<?x2xf32>, %e: tensor<5xi64>) -> (tensor<1xf32>, tensor<4x1xi32>) {
  // CHECK: pd.detection_map %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} {class_num
  %0:6 = pd.detection_map %d, %l, %o, %o {class_num = 4 : i64} : (tensor<8x6xf32>, tensor<4x6xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<4x1xi32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<1xf32>, tensor<5xi64>, tensor<5xi64>)
  // CHECK: pd.detection_map {{.*}} state {{.*}} counts {{.*}} -> (tensor<4x1xi32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<1xf32>, tensor<5xi64>, tensor<5xi64>)
  %1:6 = pd.detection_map %d, %l, %o, %o state %h counts %c %t, %t, %e, %e ap_type = "11point" {class_num = 4 : i64} : (tensor<8x6xf32>, tensor<4x6xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1xi32>, tensor<4x1xi32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<5xi64>, tensor<5xi64>) -> (tensor<4x1xi32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<1xf32>, tensor<5xi64>, tensor<5xi64>)
  return %0#3, %1#0 : tensor<1xf32>, tensor<4x1xi32>
}

// CHECK-LABEL: @auc
func.func @auc(%p: tensor<8x2xf32>, %l: tensor<8x1xi64>, %c: tensor<33xi64>) -> tensor<f64> {
  // CHECK: pd.auc {{.*}} -> (tensor<f64>, tensor<33xi64>, tensor<33xi64>)
  %0:3 = pd.auc %p, %l, %c, %c {num_thresholds = 15 : i64} : (tensor<8x2xf32>, tensor<8x1xi64>, tensor<33xi64>, tensor<33xi64>) -> (tensor<f64>, tensor<33xi64>, tensor<33xi64>)
  return %0#0 : tensor<f64>
}
