/// Pictures of modules as HTML.
#pragma once

#include "lib/compiler/picture/Graph.h"
#include "lib/compiler/picture/Overlay.h"
#include "proa/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace proa::picture {

/// A module to draw.
struct Stage {
  std::string title;
  mlir::ModuleOp module;
  std::map<std::string, Tensor> weights; ///< for statistics; may be empty
};

/// A page that needs no other file and no network: the graph of a stage, or two stages side by side with what
/// changed. Error: Graphviz is not installed.
Result<std::string> pageOf(const std::vector<Stage> &stages, const Overlay &overlay);

} // namespace proa::picture
