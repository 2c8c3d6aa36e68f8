// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @levels_c2(%b: tensor<9x4xf32>) {
  // expected-error@+2 {{C2: there must be 1 to 1024 levels from min_level to max_level, found 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.distribute_fpn_proposals"(%b) {min_level = 3 : i64, max_level = 2 : i64, refer_level = 4 : i64, refer_scale = 224 : i64} : (tensor<9x4xf32>) -> tensor<9x1xi32>
  return
}

// -----

func.func @density_c2(%m: tensor<1x2x3x4xf32>, %i: tensor<1x3x24x32xf32>) {
  // expected-error@+2 {{C2: there must be as many positive densities as fixed_sizes, and fixed_ratios, found 1, 2 and 1 numbers}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.density_prior_box"(%m, %i) {fixed_sizes = array<f64: 8.0, 16.0>, fixed_ratios = array<f64: 1.0>, densities = array<i64: 2>} : (tensor<1x2x3x4xf32>, tensor<1x3x24x32xf32>) -> (tensor<3x4x5x4xf32>, tensor<3x4x5x4xf32>)
  return
}

// -----

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

func.func @density_prior_box_c1(%m: tensor<2x3x4xf32>, %i: tensor<1x3x24x32xf32>) {
  // expected-error@+2 {{C1: input and image must have rank 4, found ranks 3 and 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %3:2 = pd.density_prior_box %m, %i {variances = array<f64: 0.1, 0.1, 0.2, 0.2>, fixed_sizes = array<f64: 8.0, 16.0>, fixed_ratios = array<f64: 1.0>, densities = array<i64: 2, 1>} : (tensor<2x3x4xf32>, tensor<1x3x24x32xf32>) -> (tensor<3x4x5x4xf32>, tensor<3x4x5x4xf32>)
  return
}

// -----

func.func @density_prior_box_c3(%m: tensor<1x2x3x4xf32>, %i: tensor<1x3x24x32xf32>) {
  // expected-error@+2 {{C3: variances must hold four numbers, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %3:2 = pd.density_prior_box %m, %i {variances = array<f64: 1.0, 1.0>, fixed_sizes = array<f64: 8.0, 16.0>, fixed_ratios = array<f64: 1.0>, densities = array<i64: 2, 1>} : (tensor<1x2x3x4xf32>, tensor<1x3x24x32xf32>) -> (tensor<3x4x5x4xf32>, tensor<3x4x5x4xf32>)
  return
}

// -----

func.func @iou_similarity_c1(%b: tensor<9x4xf32>, %v0: tensor<9x5xf32>) {
  // expected-error@+2 {{C1: x and y must be [boxes, 4], found tensor<9x5xf32>, tensor<9x4xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %2 = pd.iou_similarity %v0, %b : (tensor<9x5xf32>, tensor<9x4xf32>) -> tensor<9x9xf32>
  return
}

// -----

func.func @iou_similarity_c1_y(%b: tensor<9x4xf32>, %v1: tensor<9x5xf32>) {
  // expected-error@+2 {{C1: x and y must be [boxes, 4], found tensor<9x4xf32>, tensor<9x5xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %2 = pd.iou_similarity %b, %v1 : (tensor<9x4xf32>, tensor<9x5xf32>) -> tensor<9x9xf32>
  return
}
