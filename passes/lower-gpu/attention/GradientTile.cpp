#include "passes/lower-gpu/attention/GradientTile.h"

using namespace mlir;

namespace proa {

GradientTile::Values GradientTile::Numbers::all() const {
  Values all(scores);
  all.append(values);
  return all;
}

GradientTile::Numbers GradientTile::Numbers::withValues(ValueRange all) const {
  return {Values(all.take_front(scores.size())), Values(all.drop_front(scores.size()))};
}

FailureOr<std::unique_ptr<GradientTile>> makeGradientTile(const AttentionSite &site,
                                                          const AttentionTensor &outGradient) {
  if (site.choice.kind == MatmulKind::Wgmma)
    return makeWgmmaGradient(site, outGradient);
  return makeStagedGradient(site, outGradient);
}

} // namespace proa
