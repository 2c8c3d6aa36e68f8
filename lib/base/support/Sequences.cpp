#include "lib/base/support/Sequences.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

namespace proa {

std::string elementName(std::string_view sequence, size_t index) {
  return fmt::format("{}[{}]", sequence, index);
}

std::optional<ElementEntry> elementEntryOf(std::string_view name) {
  size_t open = name.rfind('[');
  if (open == std::string_view::npos || open == 0 || !name.ends_with(']'))
    return std::nullopt;
  std::string_view digits = name.substr(open + 1, name.size() - open - 2);
  size_t index = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc() || end != digits.data() + digits.size() ||
      name != elementName(name.substr(0, open), index))
    return std::nullopt;
  return ElementEntry{std::string(name.substr(0, open)), index};
}

std::map<std::string, std::vector<std::vector<int64_t>>>
elementDims(const std::map<std::string, std::vector<int64_t>> &tensorDims) {
  std::map<std::string, std::vector<std::vector<int64_t>>> sequences;
  for (const auto &[name, dims] : tensorDims) {
    std::optional<ElementEntry> entry = elementEntryOf(name);
    if (!entry || entry->index != 0)
      continue;
    std::vector<std::vector<int64_t>> &elements = sequences[entry->sequence];
    for (auto found = tensorDims.find(name); found != tensorDims.end();
         found = tensorDims.find(elementName(entry->sequence, elements.size())))
      elements.push_back(found->second);
  }
  return sequences;
}

std::map<std::string, std::vector<std::vector<int64_t>>>
elementDims(const std::map<std::string, Tensor> &tensors) {
  std::map<std::string, std::vector<int64_t>> dims;
  for (const auto &[name, tensor] : tensors)
    dims.emplace(name, tensor.dims());
  return elementDims(dims);
}

std::string sequenceRowsName(std::string_view sequence) { return fmt::format("{}@ROWS", sequence); }
std::string sequenceScalarsName(std::string_view sequence) { return fmt::format("{}@SCALARS", sequence); }

/// Whether each row has the number of its scalars and dims with that product, and all scalars have a row.
static bool fits(const Tensor &rows, const Tensor &scalars) {
  if (rows.dtype() != DType::Int64 || rows.dims().size() != 2 || rows.dims()[1] < 1 ||
      scalars.dims().size() != 1)
    return false;
  int64_t columns = rows.dims()[1], left = scalars.size();
  for (int64_t i = 0; i < rows.dims()[0]; ++i) {
    const int64_t *row = rows.as<int64_t>() + i * columns;
    std::optional<int64_t> count = elementCount(std::span(row + 1, static_cast<size_t>(columns - 1)));
    if (!count || *count != *row || *count > left)
      return false;
    left -= *count;
  }
  return left == 0;
}

Result<std::vector<NamedTensor>> unpackSequence(const std::string &sequence, const Tensor &rows,
                                                const Tensor &scalars) {
  if (!fits(rows, scalars))
    return errorAt("fetch '" + sequence + "'", fmt::format("its rows {} do not describe its scalars {}",
                                                           rows.describe(), scalars.describe()));
  Tensor count(DType::Int64, {1});
  *count.as<int64_t>() = rows.dims()[0];
  std::vector<NamedTensor> out{{sequence, count}};
  const auto *row = rows.as<int64_t>();
  const auto *from = static_cast<const char *>(scalars.data());
  for (int64_t i = 0; i < rows.dims()[0]; ++i, row += rows.dims()[1]) {
    Tensor element(scalars.dtype(), std::vector<int64_t>(row + 1, row + rows.dims()[1]));
    if (element.bytes() != 0)
      std::memcpy(element.data(), from, element.bytes());
    from += element.bytes();
    out.push_back({elementName(sequence, static_cast<size_t>(i)), std::move(element)});
  }
  return out;
}

} // namespace proa
