/// Collects the errors that a reader finds in one file.
#pragma once

#include "proa/Result.h"

#include <string>
#include <utility>

namespace proa {

/// A damaged file can have an error in each of its lines, so that only the first ones are kept and the rest
/// counted.
class FileReport {
public:
  explicit FileReport(std::string file) : file(std::move(file)) {}

  bool empty() const { return list.empty(); }
  size_t count() const { return list.size() + notListed; }
  /// `path` is the place in the file: "blocks[0].ops[3]".
  void add(const std::string &path, std::string message) {
    if (list.size() >= limit)
      ++notListed;
    else
      list.add(path.empty() ? file : file + ": " + path, std::move(message));
  }
  Diagnostics take() {
    if (notListed != 0)
      list.add(file, std::to_string(notListed) + " more problems");
    notListed = 0;
    return std::move(list);
  }

private:
  static constexpr size_t limit = 100;
  std::string file;
  Diagnostics list;
  size_t notListed = 0;
};

} // namespace proa
