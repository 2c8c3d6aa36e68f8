/// Functions and variables of a library that is loaded at run time.
#pragma once

#include <dlfcn.h>

#include <cstring>
#include <string>
#include <vector>

namespace proa {

/// Looks up symbols in a library that dlopen() returned, and lists the ones that it lacks.
class LibrarySymbols {
public:
  explicit LibrarySymbols(void *library) : library(library) {}

  /// Sets `target` to the address of the symbol; null if the library lacks it.
  template <class Target> void load(Target *&target, const char *name) {
    void *symbol = dlsym(library, name);
    if (!symbol)
      missingNames.emplace_back(name);
    std::memcpy(&target, &symbol, sizeof(symbol));
  }
  /// The names that load() did not find.
  const std::vector<std::string> &missing() const { return missingNames; }

private:
  void *library;
  std::vector<std::string> missingNames;
};

} // namespace proa
