// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @add_n_c1(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{C1: the inputs must have the same dimensions and element type}}
  %0 = "pd.add_n"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @unscale_c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{C1: scale must have one element, found tensor<2xf32>}}
  %0:2 = "pd.check_finite_and_unscale"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<1xi1>)
  return
}

// -----

func.func @coalesce_c1(%x: tensor<?xf32>) {
  // expected-error@+1 {{C1: the dimensions must be known, found tensor<?xf32>}}
  %0:2 = "pd.coalesce_tensor"(%x) {dtype = f32} : (tensor<?xf32>) -> (tensor<?xf32>, tensor<8xf32>)
  return
}

// -----

func.func @update_loss_scaling_c1(%x: tensor<3xf32>, %found_infinite: tensor<2xi1>, %prev_loss_scaling: tensor<1xf32>, %in_good_steps: tensor<1xi32>, %in_bad_steps: tensor<1xi32>) {
  // expected-error@+1 {{C1: found_infinite, the scale and both counters must have one element, found tensor<2xi1>}}
  %0:4 = pd.update_loss_scaling %x found_infinite = %found_infinite prev_loss_scaling = %prev_loss_scaling in_good_steps = %in_good_steps in_bad_steps = %in_bad_steps {decr_every_n_nan_or_inf = 1 : i64, decr_ratio = 5.000000e-01 : f64, incr_every_n_steps = 2 : i64, incr_ratio = 2.000000e+00 : f64} : (tensor<3xf32>, tensor<2xi1>, tensor<1xf32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<3xf32>, tensor<1xf32>, tensor<1xi32>, tensor<1xi32>)
  return
}

// -----

func.func @update_loss_scaling_c1_scale(%x: tensor<3xf32>, %found_infinite: tensor<1xi1>, %prev_loss_scaling: tensor<2xf32>, %in_good_steps: tensor<1xi32>, %in_bad_steps: tensor<1xi32>) {
  // expected-error@+1 {{C1: found_infinite, the scale and both counters must have one element, found tensor<2xf32>}}
  %0:4 = pd.update_loss_scaling %x found_infinite = %found_infinite prev_loss_scaling = %prev_loss_scaling in_good_steps = %in_good_steps in_bad_steps = %in_bad_steps {decr_every_n_nan_or_inf = 1 : i64, decr_ratio = 5.000000e-01 : f64, incr_every_n_steps = 2 : i64, incr_ratio = 2.000000e+00 : f64} : (tensor<3xf32>, tensor<1xi1>, tensor<2xf32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<3xf32>, tensor<1xf32>, tensor<1xi32>, tensor<1xi32>)
  return
}
