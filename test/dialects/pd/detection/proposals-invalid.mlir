// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @levels_c2(%b: tensor<9x4xf32>) {
  // expected-error@+1 {{C2: there must be 1 to 1024 levels from min_level to max_level, found 0}}
  %0 = "pd.distribute_fpn_proposals"(%b) {min_level = 3 : i64, max_level = 2 : i64, refer_level = 4 : i64, refer_scale = 224 : i64} : (tensor<9x4xf32>) -> tensor<9x1xi32>
  return
}

// -----

func.func @generate_proposals_c1(%a0: tensor<1x2x3xf32>, %a1: tensor<1x8x3x3xf32>, %a2: tensor<1x2xf32>, %a3: tensor<3x3x2x4xf32>, %a4: tensor<3x3x2x4xf32>) {
  // expected-error@+1 {{C1: }}
  %0:3 = "pd.generate_proposals"(%a0, %a1, %a2, %a3, %a4) : (tensor<1x2x3xf32>, tensor<1x8x3x3xf32>, tensor<1x2xf32>, tensor<3x3x2x4xf32>, tensor<3x3x2x4xf32>) -> (tensor<?x4xf32>, tensor<?x1xf32>, tensor<1xi32>)
  return
}

// -----

func.func @distribute_c1(%a0: tensor<3x5xf32>) {
  // expected-error@+1 {{C1: }}
  %0:3 = "pd.distribute_fpn_proposals"(%a0) <{min_level = 2 : i64, max_level = 2 : i64, refer_level = 2 : i64, refer_scale = 224 : i64}> : (tensor<3x5xf32>) -> (tensor<?x4xf32>, tensor<3x1xi32>, tensor<1xi32>)
  return
}

// -----

func.func @collect_c1(%a0: tensor<3x4xf32>) {
  // expected-error@+1 {{C1: }}
  %0:2 = "pd.collect_fpn_proposals"(%a0) <{levels = 1 : i64, post_nms_topn = 2 : i64}> : (tensor<3x4xf32>) -> (tensor<?x4xf32>, tensor<1xi32>)
  return
}
