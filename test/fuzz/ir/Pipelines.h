/// The passes and pipelines of proa, as texts for the pass manager.
#pragma once

#include "test/fuzz/ir/Mutations.h"

#include <string>
#include <vector>

namespace proa::fuzz {

struct PassOption {
  std::string name, type;
};

/// A registered pass or pipeline.
struct PassEntry {
  std::string name;
  std::vector<PassOption> options;
};

/// The passes in the registry, which must have only proa's passes.
std::vector<PassEntry> registeredPasses();

/// The pass with random values for some of its options.
std::string withOptions(const PassEntry &pass, mlir::ModuleOp module, Random &random);

} // namespace proa::fuzz
