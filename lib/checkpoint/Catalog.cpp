#include "lib/checkpoint/Catalog.h"

namespace proa::checkpoints {

std::string_view keywordOf(StateKind kind) { return kind == StateKind::Parameter ? "parameter" : "state"; }

std::optional<StateKind> stateKindOf(std::string_view keyword) {
  for (StateKind kind : {StateKind::Parameter, StateKind::State})
    if (keywordOf(kind) == keyword)
      return kind;
  return std::nullopt;
}

std::string keyOf(const std::string &tensor, const TensorEntry &entry, const Box &box) {
  return box == wholeBox(entry.dims) ? tensor : tensor + toText(box);
}

} // namespace proa::checkpoints
