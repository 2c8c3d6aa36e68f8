#include "passes/lower-gpu/attention/AttentionTile.h"

using namespace mlir;

namespace proa {

SmallVector<Value> AttentionTensor::indices(ValueRange at) const {
  SmallVector<Value> own(4);
  for (auto [dim, index] : llvm::zip(dims, at))
    own[static_cast<size_t>(dim)] = index;
  return own;
}

AttentionTile::Values AttentionTile::Fragments::all() const {
  Values all(scores);
  all.append(values);
  return all;
}

AttentionTile::Fragments AttentionTile::Fragments::withValues(ValueRange all) const {
  return {Values(all.take_front(scores.size())), Values(all.drop_front(scores.size()))};
}

FailureOr<std::unique_ptr<AttentionTile>> makeAttentionTile(const AttentionSite &site) {
  if (site.choice.kind == MatmulKind::Wgmma)
    return makeWgmmaAttention(site);
  return makeStagedAttention(site);
}

} // namespace proa
