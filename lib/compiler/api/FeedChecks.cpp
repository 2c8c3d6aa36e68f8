#include "lib/compiler/api/FeedChecks.h"

#include "lib/base/support/NamedDims.h"
#include "lib/base/support/Sequences.h"
#include "lib/base/support/Suggest.h"
#include "lib/base/support/TensorCheck.h"

#include <algorithm>
#include <set>

namespace proa {
namespace {

std::vector<std::string> namesOf(const std::vector<TensorInfo> &infos) {
  std::vector<std::string> names;
  for (const TensorInfo &info : infos)
    names.push_back(info.name);
  return names;
}

/// The error of a LoD, or "": offsets must ascend from 0, and the last one of a level is the number of
/// sequences of the next level, or of rows.
std::string lodError(const Tensor &tensor) {
  for (size_t level = 0; level < tensor.lod().size(); ++level) {
    const std::vector<int64_t> &offsets = tensor.lod()[level];
    bool isLast = level + 1 == tensor.lod().size();
    if (isLast && tensor.dims().empty())
      return "the tensor has no rows";
    int64_t count = isLast ? tensor.dims()[0] : static_cast<int64_t>(tensor.lod()[level + 1].size()) - 1;
    if (offsets.empty() || offsets.front() != 0 || offsets.back() != count ||
        !std::is_sorted(offsets.begin(), offsets.end()))
      return "level " + std::to_string(level) + " of the LoD must ascend from 0 to " + std::to_string(count);
  }
  return "";
}

/// Checks the element types of a fed sequence, and adds the names of its elements to `known`.
void checkElements(const std::string &source, const TensorInfo &info,
                   const std::map<std::string, Tensor> &inputs, std::set<std::string> &known,
                   Diagnostics &diagnostics) {
  for (size_t i = 0;; ++i) {
    std::string name = elementName(info.name, i);
    auto found = inputs.find(name);
    if (found == inputs.end())
      break;
    const Tensor &element = found->second;
    if (element.dtype() != info.dtype)
      diagnostics.add(source, "feed '" + name + "' is " + element.describe() +
                                  ", expected elements of type " + std::string(nameOf(info.dtype)));
    known.insert(name);
  }
}

/// How to import a program with static dims for others.
std::string hintFor(const TensorInfo &info, const Tensor &tensor) {
  return tensor.dtype() == info.dtype && tensor.dims().size() == info.dims.size()
             ? "; ModelOptions::feedDims (--dims) imports a program for other dims"
             : "";
}

} // namespace

Result<void> checkValid(const std::string &source, const std::map<std::string, Tensor> &inputs) {
  Diagnostics diagnostics;
  for (const auto &[name, tensor] : inputs)
    if (std::string invalid = whyInvalid(tensor); !invalid.empty())
      diagnostics.add(source, "feed '" + name + "' " + invalid);
  return diagnostics;
}

Result<void> checkFeeds(const std::string &source, const std::vector<TensorInfo> &feeds,
                        const std::map<std::string, Tensor> &inputs) {
  Diagnostics diagnostics;
  std::set<std::string> known;
  for (const TensorInfo &info : feeds) {
    if (info.isSequence) {
      checkElements(source, info, inputs, known, diagnostics);
      continue;
    }
    known.insert(info.name);
    auto found = inputs.find(info.name);
    if (found == inputs.end()) {
      diagnostics.add(source, "feed '" + info.name + "' is missing, expected " + describe(info));
      continue;
    }
    const Tensor &tensor = found->second;
    bool fits = tensor.dtype() == info.dtype && tensor.dims().size() == info.dims.size();
    for (size_t d = 0; fits && d < info.dims.size(); ++d)
      fits = info.dims[d] < 0 || info.dims[d] == tensor.dims()[d];
    if (!fits)
      diagnostics.add(source, "feed '" + info.name + "' is " + tensor.describe() + ", expected " +
                                  describe(info) + hintFor(info, tensor));
  }
  for (const auto &[name, tensor] : inputs)
    if (std::string wrong = lodError(tensor); !wrong.empty())
      diagnostics.add(source, "feed '" + name + "': " + wrong);
  auto isSequence = [&](const std::string &name) {
    return std::ranges::any_of(feeds,
                               [&](const TensorInfo &info) { return info.isSequence && info.name == name; });
  };
  for (const auto &[name, tensor] : inputs)
    if (auto element = elementEntryOf(name);
        !known.contains(name) && element && isSequence(element->sequence))
      diagnostics.add(source, "'" + name + "' is fed, but not all elements of the sequence before it");
    else if (!known.contains(name))
      diagnostics.add(source, "the program has no feed '" + name + "'" + didYouMean(name, namesOf(feeds)));
  diagnostics.append(checkNamedDims(source, feeds, inputs));
  return diagnostics.empty() ? Result<void>() : Result<void>(diagnostics);
}

} // namespace proa
