/// Sequences of tensors as tensors with names. Element 0 of the sequence x is the tensor "x[0]". Feeds,
/// fetches and files use these names; an optional is a sequence of no element or one.
#pragma once

#include "proa/Model.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proa {

/// "x[0]"
std::string elementName(std::string_view sequence, size_t index);

/// Parses a name of elementName.
struct ElementEntry {
  std::string sequence;
  size_t index = 0;
};
std::optional<ElementEntry> elementEntryOf(std::string_view name);

/// The dims of the elements of each sequence, by the names of the tensors. A sequence ends before the first
/// index that is missing. Those without elements are absent.
std::map<std::string, std::vector<std::vector<int64_t>>>
elementDims(const std::map<std::string, Tensor> &tensors);
/// The same by the dims of the tensors.
std::map<std::string, std::vector<std::vector<int64_t>>>
elementDims(const std::map<std::string, std::vector<int64_t>> &tensorDims);

/// Programs return a sequence in two tensors: a row of int64 for each element, with the number of its scalars
/// and then its dims, and all scalars in the order of the elements.
std::string sequenceRowsName(std::string_view sequence);
std::string sequenceScalarsName(std::string_view sequence);
/// The number of elements, under the name of the sequence, and then the elements. Error: rows that do not fit
/// the scalars.
Result<std::vector<NamedTensor>> unpackSequence(const std::string &sequence, const Tensor &rows,
                                                const Tensor &scalars);

} // namespace proa
