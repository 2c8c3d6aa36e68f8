#include "lib/checkpoint/Convert.h"

#include "lib/checkpoint/Index.h"
#include "lib/checkpoint/Writer.h"
#include "translator/params/PaddleParams.h"

#include <fmt/format.h>

#include <cstring>

namespace proa::checkpoints {

Result<void> convert(TensorSource &source, const std::string &folder, const Layout &layout) {
  auto boxes = layout.place(source.catalog().tensors);
  if (!boxes)
    return boxes.diagnostics();
  std::map<int64_t, std::vector<std::pair<std::string, Box>>> byFile;
  for (auto &[name, list] : *boxes)
    for (StoredBox &stored : list)
      byFile[stored.file].emplace_back(name, std::move(stored.box));
  Result<int64_t> save = beginSave(folder);
  if (!save)
    return save.diagnostics();
  Catalog target;
  target.training = source.catalog().training;
  target.save = *save;
  int64_t index = 0, count = static_cast<int64_t>(byFile.size());
  for (const auto &[file, shards] : byFile) {
    std::vector<ShardData> data;
    for (const auto &[name, box] : shards) {
      Result<Tensor> elements = source.read(name, box);
      if (!elements)
        return elements.diagnostics();
      data.push_back({name, source.catalog().tensors.at(name), box, std::move(*elements)});
    }
    Result<Catalog> written = writeShards(folder, shardFileName(*save, index++, count), data);
    if (!written)
      return written.diagnostics();
    merge(target, *written);
  }
  return commitSave(folder, target);
}

Result<void> convertToFile(TensorSource &source, const std::string &path) {
  std::map<std::string, Tensor> tensors;
  for (const auto &[name, entry] : source.catalog().tensors) {
    Result<Tensor> whole = source.read(name, wholeBox(entry.dims));
    if (!whole)
      return whole.diagnostics();
    tensors.emplace(name, std::move(*whole));
  }
  if (!path.ends_with(".pdiparams"))
    return writeSingleFile(path, source.catalog(), tensors);
  std::vector<Tensor> values;
  for (const auto &[name, value] : tensors)
    values.push_back(value);
  return params::writeCombinedParams(path, values);
}

namespace {

/// The first element that differs, by its bytes.
std::string elementDifference(const Tensor &a, const Tensor &b) {
  size_t size = sizeOf(a.dtype());
  int64_t count = 0, first = -1;
  for (int64_t i = 0; i < a.size(); ++i)
    if (std::memcmp(a.as<std::byte>() + static_cast<size_t>(i) * size,
                    b.as<std::byte>() + static_cast<size_t>(i) * size, size) != 0) {
      first = first < 0 ? i : first;
      ++count;
    }
  std::string index;
  for (size_t d = a.dims().size(); d-- > 0;) {
    index = std::to_string(first % a.dims()[d]) + (index.empty() ? "" : ", ") + index;
    first /= a.dims()[d];
  }
  return fmt::format("{} of {} elements differ, the first at [{}]", count, a.size(), index);
}

std::string trainingText(const std::optional<TrainingState> &training) {
  if (!training)
    return "none";
  return fmt::format("step {}{}", training->step,
                     training->random ? fmt::format(", seed {}, {} random calls", training->random->seed,
                                                    training->random->calls)
                                      : "");
}

/// Empty if both checkpoints have the tensor with equal elements.
Result<std::string> tensorDifference(Checkpoint &a, Checkpoint &b, const std::string &name) {
  const TensorEntry &left = a.catalog().tensors.at(name), &right = b.catalog().tensors.at(name);
  if (left.dtype != right.dtype || left.dims != right.dims)
    return fmt::format("{}: {} and {}", name, describe(left.dtype, left.dims),
                       describe(right.dtype, right.dims));
  Result<Tensor> x = a.read(name), y = b.read(name);
  if (!x)
    return x.diagnostics();
  if (!y)
    return y.diagnostics();
  if (x->bytes() == 0 || std::memcmp(x->data(), y->data(), x->bytes()) == 0)
    return std::string();
  return name + ": " + elementDifference(*x, *y);
}

} // namespace

Result<std::vector<std::string>> differences(Checkpoint &a, Checkpoint &b) {
  std::vector<std::string> lines;
  Diagnostics diagnostics;
  const auto &left = a.catalog().tensors, &right = b.catalog().tensors;
  for (const auto &[name, entry] : left)
    if (!right.contains(name))
      lines.push_back(name + ": only in " + a.path());
  for (const auto &[name, entry] : right) {
    if (!left.contains(name)) {
      lines.push_back(name + ": only in " + b.path());
      continue;
    }
    Result<std::string> difference = tensorDifference(a, b, name);
    if (!difference)
      diagnostics.append(difference.diagnostics());
    else if (!difference->empty())
      lines.push_back(std::move(*difference));
  }
  if (a.catalog().training != b.catalog().training)
    lines.push_back(fmt::format("training state: {} and {}", trainingText(a.catalog().training),
                                trainingText(b.catalog().training)));
  if (!diagnostics.empty())
    return diagnostics;
  return lines;
}

} // namespace proa::checkpoints
