/// Object code loaded into this process.
#pragma once

#include "proa/Result.h"

#include <memory>
#include <string>
#include <string_view>

namespace llvm::orc {
class LLJIT;
}

namespace proa {

/// The functions of a static library, linked into this process. Copies share them; they live as long as any
/// copy.
class LoadedObject {
public:
  /// Links the members of `archive` (CompiledKernels::archive). Error: not an archive. Unresolved symbols are
  /// reported when a function is looked up.
  static Result<LoadedObject> load(std::string_view archive);

  /// The address of the function `symbol`. Error: it does not exist, or cannot be linked.
  Result<void *> find(const std::string &symbol) const;

  template <class Function> Result<Function *> function(const std::string &symbol) const {
    Result<void *> address = find(symbol);
    if (!address)
      return address.diagnostics();
    return reinterpret_cast<Function *>(*address);
  }

private:
  struct Reports;
  std::shared_ptr<Reports> reports;
  std::shared_ptr<llvm::orc::LLJIT> jit;
};

} // namespace proa
