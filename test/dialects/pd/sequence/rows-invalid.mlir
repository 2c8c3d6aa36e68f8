// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @offsets_c1(%x: tensor<6x2xf32>, %o: tensor<4xi32>) {
  // expected-error@+1 {{C1: offsets must be an int64 vector that is not empty, found tensor<4xi32>}}
  %0:2 = "pd.row_positions"(%x, %o) : (tensor<6x2xf32>, tensor<4xi32>) -> (tensor<6xi64>, tensor<6xi64>)
  return
}

// -----

func.func @ranges_c1(%a: tensor<3xi64>, %b: tensor<4xi64>) {
  // expected-error@+1 {{C1: starts and lengths must be int64 vectors of one dim, found tensor<3xi64> and tensor<4xi64>}}
  %0:2 = "pd.ranges"(%a, %b) : (tensor<3xi64>, tensor<4xi64>) -> (tensor<?xi64>, tensor<4xi64>)
  return
}

// -----

func.func @row_positions_c1(%a0: tensor<f32>, %a1: tensor<2xi64>) {
  // expected-error@+1 {{C1: }}
  %0:2 = "pd.row_positions"(%a0, %a1) : (tensor<f32>, tensor<2xi64>) -> (tensor<?xi64>, tensor<?xi64>)
  return
}

// -----

func.func @ranges_c1_type(%lengths: tensor<2xi64>, %v0: tensor<3xi32>) {
  // expected-error@+1 {{C1: starts and lengths must be int64 vectors of one dim, found tensor<3xi32> and tensor<2xi64>}}
  %0:2 = pd.ranges %v0, %lengths : (tensor<3xi32>, tensor<2xi64>) -> (tensor<?xi64>, tensor<3xi64>)
  return
}
