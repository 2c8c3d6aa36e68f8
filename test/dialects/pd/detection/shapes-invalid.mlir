// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @nms_c1(%a0: tensor<3x5xf32>) {
  // expected-error@+2 {{C1: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.nms"(%a0) : (tensor<3x5xf32>) -> tensor<?xi64>
  return
}

// -----

func.func @bipartite_match_c1(%a0: tensor<3xf32>) {
  // expected-error@+2 {{C1: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.bipartite_match"(%a0) : (tensor<3xf32>) -> (tensor<1x3xi32>, tensor<1x3xf32>)
  return
}

// -----

func.func @generate_proposals_c1(%a0: tensor<1x2x3xf32>, %a1: tensor<1x8x3x3xf32>, %a2: tensor<1x2xf32>, %a3: tensor<3x3x2x4xf32>, %a4: tensor<3x3x2x4xf32>) {
  // expected-error@+2 {{C1: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "pd.generate_proposals"(%a0, %a1, %a2, %a3, %a4) : (tensor<1x2x3xf32>, tensor<1x8x3x3xf32>, tensor<1x2xf32>, tensor<3x3x2x4xf32>, tensor<3x3x2x4xf32>) -> (tensor<?x4xf32>, tensor<?x1xf32>, tensor<1xi32>)
  return
}

// -----

func.func @distribute_c1(%a0: tensor<3x5xf32>) {
  // expected-error@+2 {{C1: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "pd.distribute_fpn_proposals"(%a0) <{min_level = 2 : i64, max_level = 2 : i64, refer_level = 2 : i64, refer_scale = 224 : i64}> : (tensor<3x5xf32>) -> (tensor<?x4xf32>, tensor<3x1xi32>, tensor<1xi32>)
  return
}

// -----

func.func @collect_c1(%a0: tensor<3x4xf32>) {
  // expected-error@+2 {{C1: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.collect_fpn_proposals"(%a0) <{levels = 1 : i64, post_nms_topn = 2 : i64}> : (tensor<3x4xf32>) -> (tensor<?x4xf32>, tensor<1xi32>)
  return
}

// -----

func.func @retinanet_target_c1(%a0: tensor<3x5xf32>, %a1: tensor<2x4xf32>, %a2: tensor<2xi32>, %a3: tensor<1x3xf32>, %a4: tensor<2xi64>, %a5: tensor<2x1xi32>) {
  // expected-error@+2 {{C1: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0:9 = "pd.retinanet_target_assign"(%a0, %a1, %a2, %a3, %a4, %a5) : (tensor<3x5xf32>, tensor<2x4xf32>, tensor<2xi32>, tensor<1x3xf32>, tensor<2xi64>, tensor<2x1xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<1x1xi32>, tensor<2xi64>)
  return
}

// -----

func.func @matrix_nms_c1(%a0: tensor<2x3xf32>, %a1: tensor<1x2x3xf32>) {
  // expected-error@+2 {{C1: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "pd.matrix_nms"(%a0, %a1) <{score_threshold = 0.1 : f64, nms_top_k = 2 : i64, keep_top_k = 2 : i64}> : (tensor<2x3xf32>, tensor<1x2x3xf32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<1xi32>)
  return
}

// -----

func.func @multiclass_nms_c2(%a0: tensor<1x3x4xf32>, %a1: tensor<1x2x3xf64>) {
  // expected-error@+2 {{C2: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "pd.multiclass_nms3"(%a0, %a1) <{score_threshold = 0.1 : f64, nms_top_k = 2 : i64, keep_top_k = 2 : i64}> : (tensor<1x3x4xf32>, tensor<1x2x3xf64>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<1xi32>)
  return
}
