// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @mode_c1(%x: tensor<4x5xf32>) {
  // expected-error@+2 {{axis 2 is outside [-2, 2)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.mode"(%x) {axis = 2 : i64} : (tensor<4x5xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return
}

// -----

func.func @auc_c1(%p: tensor<8x2xf32>, %l: tensor<7xi64>, %c: tensor<1x16xi64>) {
  // expected-error@+2 {{C1: predict must have rank 2 and label an element for each row, found tensor<8x2xf32> and tensor<7xi64>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "pd.auc"(%p, %l, %c, %c) {slide_steps = 0 : i64} : (tensor<8x2xf32>, tensor<7xi64>, tensor<1x16xi64>, tensor<1x16xi64>) -> (tensor<f64>, tensor<1x16xi64>, tensor<1x16xi64>)
  return
}

// -----

func.func @auc_c2(%p: tensor<8x2xf32>, %l: tensor<8xi64>, %c: tensor<1x16xi64>) {
  // expected-error@+2 {{C2: num_thresholds must be positive and slide_steps not negative, found 0 and 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "pd.auc"(%p, %l, %c, %c) {num_thresholds = 0 : i64, slide_steps = 0 : i64} : (tensor<8x2xf32>, tensor<8xi64>, tensor<1x16xi64>, tensor<1x16xi64>) -> (tensor<f64>, tensor<1x16xi64>, tensor<1x16xi64>)
  return
}

// -----

func.func @auc_c2_steps(%p: tensor<8x2xf32>, %l: tensor<8x1xi64>, %c: tensor<33xi64>) {
  // expected-error@+2 {{C2: num_thresholds must be positive and slide_steps not negative, found 15 and -1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = pd.auc %p, %l, %c, %c {num_thresholds = 15 : i64, slide_steps = -1 : i64} : (tensor<8x2xf32>, tensor<8x1xi64>, tensor<33xi64>, tensor<33xi64>) -> (tensor<f64>, tensor<33xi64>, tensor<33xi64>)
  return
}
