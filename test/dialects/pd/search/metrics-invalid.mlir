// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @precisions_c1(%d: tensor<8x6xf32>, %l: tensor<4x4xf32>, %o: tensor<3xi64>) {
  // expected-error@+1 {{C1: detect_res must have 6 columns and label 5 or 6, found tensor<8x6xf32> and tensor<4x4xf32>}}
  %0:6 = pd.detection_map %d, %l, %o, %o {class_num = 4 : i64} : (tensor<8x6xf32>, tensor<4x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<4x1xi32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<1xf32>, tensor<5xi64>, tensor<5xi64>)
  return
}

// -----

func.func @precisions_c2(%d: tensor<8x6xf32>, %l: tensor<4x5xf32>, %o: tensor<3xi64>) {
  // expected-error@+1 {{C2: class_num must be positive, found 0}}
  %0:6 = pd.detection_map %d, %l, %o, %o {class_num = 0 : i64} : (tensor<8x6xf32>, tensor<4x5xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<4x1xi32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<1xf32>, tensor<5xi64>, tensor<5xi64>)
  return
}

// -----

func.func @precisions_c3(%d: tensor<8x6xf32>, %l: tensor<4x5xf32>, %o: tensor<3xi64>, %c: tensor<4x1xi32>) {
  // expected-error@+1 {{C3: pos_count, true_pos, false_pos and their offsets must be given all or none, found 1 of 5}}
  %0:6 = "pd.detection_map"(%d, %l, %o, %o, %c) {class_num = 4 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 0, 0, 0, 0>} : (tensor<8x6xf32>, tensor<4x5xf32>, tensor<3xi64>, tensor<3xi64>, tensor<4x1xi32>) -> (tensor<4x1xi32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<1xf32>, tensor<5xi64>, tensor<5xi64>)
  return
}

// -----

func.func @chunks_c1(%x: tensor<8x1xi64>) {
  // expected-error@+1 {{C1: num_chunk_types must be positive, found 0}}
  %0:6 = "pd.chunk_eval"(%x, %x) {num_chunk_types = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<8x1xi64>, tensor<8x1xi64>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
  return
}

// -----

func.func @classes_c1(%p: tensor<8x1xf32>, %x: tensor<8x1xi64>) {
  // expected-error@+1 {{C1: class_number must be positive, found -1}}
  %0:3 = "pd.precision_recall"(%p, %x, %x) {class_number = -1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<8x1xf32>, tensor<8x1xi64>, tensor<8x1xi64>) -> (tensor<6xf64>, tensor<6xf64>, tensor<3x4xf32>)
  return
}

// -----

func.func @detection_map_c2(%a: tensor<8x6xf32>, %b: tensor<4x6xf32>, %c: tensor<3xi64>) {
  // expected-error@+1 {{C2: class_num must be positive, found 0}}
  %0:6 = pd.detection_map %a, %b, %c, %c {class_num = 0 : i64} : (tensor<8x6xf32>, tensor<4x6xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<4x1xi32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<1xf32>, tensor<5xi64>, tensor<5xi64>)
  return
}

// -----

func.func @auc_c1(%p: tensor<8x2xf32>, %l: tensor<7xi64>, %c: tensor<1x16xi64>) {
  // expected-error@+1 {{C1: predict must have rank 2 and label an element for each row, found tensor<8x2xf32> and tensor<7xi64>}}
  %0:3 = "pd.auc"(%p, %l, %c, %c) {slide_steps = 0 : i64} : (tensor<8x2xf32>, tensor<7xi64>, tensor<1x16xi64>, tensor<1x16xi64>) -> (tensor<f64>, tensor<1x16xi64>, tensor<1x16xi64>)
  return
}

// -----

func.func @auc_c2(%p: tensor<8x2xf32>, %l: tensor<8xi64>, %c: tensor<1x16xi64>) {
  // expected-error@+1 {{C2: num_thresholds must be positive and slide_steps not negative, found 0 and 0}}
  %0:3 = "pd.auc"(%p, %l, %c, %c) {num_thresholds = 0 : i64, slide_steps = 0 : i64} : (tensor<8x2xf32>, tensor<8xi64>, tensor<1x16xi64>, tensor<1x16xi64>) -> (tensor<f64>, tensor<1x16xi64>, tensor<1x16xi64>)
  return
}

// -----

func.func @auc_c2_steps(%p: tensor<8x2xf32>, %l: tensor<8x1xi64>, %c: tensor<33xi64>) {
  // expected-error@+1 {{C2: num_thresholds must be positive and slide_steps not negative, found 15 and -1}}
  %0:3 = pd.auc %p, %l, %c, %c {num_thresholds = 15 : i64, slide_steps = -1 : i64} : (tensor<8x2xf32>, tensor<8x1xi64>, tensor<33xi64>, tensor<33xi64>) -> (tensor<f64>, tensor<33xi64>, tensor<33xi64>)
  return
}
