#include "lib/checkpoint/TransformedCheckpoint.h"

#include "lib/checkpoint/transform/Apply.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::checkpoints {
namespace {

std::string prefixed(const TransformInput &input, const std::string &name) {
  return input.prefix.empty() ? name : input.prefix + "." + name;
}

transform::TensorInfos infosOf(const Catalog &catalog) {
  transform::TensorInfos infos;
  for (const auto &[name, entry] : catalog.tensors)
    infos[name] = {entry.dtype, entry.dims};
  return infos;
}

std::vector<int64_t> beginOfBox(const Box &box) {
  std::vector<int64_t> begin;
  for (const spmd::Range &range : box)
    begin.push_back(range.begin);
  return begin;
}

} // namespace

Result<TransformedCheckpoint>
TransformedCheckpoint::create(std::vector<TransformInput> inputs,
                              const std::vector<transform::Statement> &statements,
                              const TransformOptions &options) {
  transform::TensorInfos infos;
  for (const TransformInput &input : inputs)
    for (const auto &[name, entry] : input.checkpoint.catalog().tensors)
      if (!infos.emplace(prefixed(input, name), transform::TensorInfo{entry.dtype, entry.dims}).second)
        return errorAt(input.checkpoint.path(),
                       fmt::format("has the tensor '{}' as another input has, expected different prefixes",
                                   prefixed(input, name)));
  transform::MappingOptions mappingOptions;
  mappingOptions.isInverse = options.isInverse;
  transform::TensorInfos targets;
  if (options.result) {
    targets = infosOf(*options.result);
    mappingOptions.targets = &targets;
  }
  Result<transform::Mapping> mapping = transform::mapTensors(statements, infos, mappingOptions);
  if (!mapping)
    return mapping.diagnostics();
  TransformedCheckpoint result(std::move(inputs), std::move(*mapping));
  result.describeTensors();
  return result;
}

void TransformedCheckpoint::describeTensors() {
  if (inputs.size() == 1)
    contents.training = inputs.front().checkpoint.catalog().training;
  for (const transform::Target &target : mapping.targets) {
    TensorEntry &entry = contents.tensors[target.name];
    entry = {target.dtype, target.dims(), target.state ? StateKind::State : StateKind::Parameter};
    // A tensor is used as the first stored tensor that it is composed of.
    for (size_t i = 0; i < target.composition->size(); ++i) {
      const transform::Source &source = mapping.sources[target.composition->piece(i).source];
      if (!source.isStored())
        continue;
      auto [input, name] = find(transform::Mapping::nameOf(source, target));
      entry.kind = input->checkpoint.catalog().tensors.at(name).kind;
      break;
    }
  }
}

std::pair<TransformInput *, std::string> TransformedCheckpoint::find(const std::string &name) {
  for (TransformInput &input : inputs) {
    size_t length = input.prefix.empty() ? 0 : input.prefix.size() + 1;
    if (!name.starts_with(prefixed(input, "")))
      continue;
    std::string own = name.substr(length);
    if (input.checkpoint.catalog().tensors.contains(own))
      return {&input, own};
  }
  return {nullptr, name};
}

Result<Tensor> TransformedCheckpoint::read(const std::string &tensor, const Box &box) {
  const transform::Target *target = mapping.find(tensor);
  if (!target)
    return errorAt(tensor, "is not a tensor of the transformed checkpoint");
  return transform::computeBox(
      mapping, *target, box, [&](const std::string &name, const Box &region) -> Result<transform::BoxTensor> {
        auto [input, own] = find(name);
        // A tensor in one piece is a view of the mapped file.
        bool isWhole = input->checkpoint.catalog().shards.at(own).size() == 1;
        Result<Tensor> elements = isWhole ? input->checkpoint.read(own) : input->checkpoint.read(own, region);
        if (!elements)
          return elements.diagnostics();
        return transform::BoxTensor{std::move(*elements),
                                    isWhole ? std::vector<int64_t>() : beginOfBox(region)};
      });
}

} // namespace proa::checkpoints
