// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @shift_c2(%a: tensor<3x4x1x1xf32>) {
  // expected-error@+1 {{C2: seg_num must be above 0 and divide 3, and shift_ratio be in (0, 0.5), found 2 and 0.25}}
  %0 = "pd.temporal_shift"(%a) {seg_num = 2 : i64} : (tensor<3x4x1x1xf32>) -> tensor<3x4x1x1xf32>
  return
}

// -----

func.func @temporal_shift_c1(%x: tensor<2x4x1xf64>) {
  // expected-error@+1 {{C1: x must have rank 4, found rank 3}}
  %0 = pd.temporal_shift %x {seg_num = 2 : i64} : (tensor<2x4x1xf64>) -> tensor<2x4x1x1xf64>
  return
}

// -----

func.func @temporal_shift_c2_ratio(%x: tensor<2x4x1x1xf64>) {
  // expected-error@+1 {{C2: seg_num must be above 0 and divide 2, and shift_ratio be in (0, 0.5), found 2 and 0.700000}}
  %0 = pd.temporal_shift %x {seg_num = 2 : i64, shift_ratio = 0.7 : f64} : (tensor<2x4x1x1xf64>) -> tensor<2x4x1x1xf64>
  return
}
