/// Region proposals before their suppression, in formulas.
#pragma once

#include "dialects/pd/ops/detection/Proposals.h"

namespace proa::pd {

/// The candidates of generate_proposals in descending order: boxes [images, count, 4] and scores
/// [images, count], noScore without a candidate. The last box, of zeros, is for an image without others.
struct ProposalCandidates {
  Expression boxes, scores;
};

/// The number of anchors must be static.
ProposalCandidates proposalCandidates(TensorBuilder &e, GenerateProposalsOp op);

} // namespace proa::pd
