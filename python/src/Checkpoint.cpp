#include "Checkpoint.h"

#include "Errors.h"
#include "Options.h"
#include "Shared.h"

#include "lib/checkpoint/Checkpoint.h"
#include "lib/checkpoint/Convert.h"
#include "lib/checkpoint/ConvertFiles.h"
#include "lib/compiler/api/CheckpointLayout.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace proa::python {
namespace {

using checkpoints::Checkpoint;
using SharedCheckpoint = Shared<Checkpoint>;
/// Begin and end of each dim.
using Ranges = std::vector<std::pair<int64_t, int64_t>>;

/// A tensor as the index describes it.
struct StoredTensor {
  std::string dtype, kind;
  std::vector<int64_t> dims;
  std::vector<std::pair<Ranges, std::string>> shards; ///< box and file of each
};

Ranges rangesOf(const checkpoints::Box &box) {
  Ranges ranges;
  for (const spmd::Range &range : box)
    ranges.emplace_back(range.begin, range.end);
  return ranges;
}

checkpoints::Box boxOf(const Ranges &ranges) {
  checkpoints::Box box;
  for (auto [begin, end] : ranges)
    box.push_back({begin, end});
  return box;
}

StoredTensor describe(const checkpoints::Catalog &catalog, const std::string &name) {
  const checkpoints::TensorEntry &entry = catalog.tensors.at(name);
  StoredTensor tensor{std::string(nameOf(entry.dtype)), std::string(keywordOf(entry.kind)), entry.dims, {}};
  for (const checkpoints::ShardEntry &shard : catalog.shards.at(name))
    tensor.shards.emplace_back(rangesOf(shard.box), shard.file);
  return tensor;
}

std::vector<std::pair<std::string, StoredTensor>> tensorsOf(SharedCheckpoint &self) {
  return self.with([](const Checkpoint &checkpoint) {
    std::vector<std::pair<std::string, StoredTensor>> tensors;
    for (const auto &[name, entry] : checkpoint.catalog().tensors)
      tensors.emplace_back(name, describe(checkpoint.catalog(), name));
    return tensors;
  });
}

std::unique_ptr<SharedCheckpoint> open(const std::string &path) {
  nb::gil_scoped_release release;
  return std::make_unique<SharedCheckpoint>(check(Checkpoint::open(path)));
}

std::vector<std::string> differences(const std::string &a, const std::string &b) {
  nb::gil_scoped_release release;
  Checkpoint first = check(Checkpoint::open(a)), second = check(Checkpoint::open(b));
  return check(checkpoints::differences(first, second));
}

/// The layout that a program saves on the mesh of the options, after a run with feeds of the declared dims.
Result<std::unique_ptr<checkpoints::Layout>> layoutOf(const std::string &program,
                                                      const ModelOptions &options) {
  Result<Model> model = Model::open(program, options);
  if (!model)
    return model.diagnostics();
  Diagnostics diagnostics;
  std::map<std::string, Tensor> feeds;
  for (const TensorInfo &feed : model->feeds())
    if (std::ranges::any_of(feed.dims, [](int64_t dim) { return dim < 0; }))
      diagnostics.add("feed '" + feed.name + "'", "its dims are dynamic, expected them in 'dims'");
    else
      feeds.emplace(feed.name, Tensor(feed.dtype, feed.dims));
  if (!diagnostics.empty())
    return diagnostics;
  return checkpointLayout(*model, feeds);
}

void convert(const std::vector<std::string> &sources, const std::string &target,
             checkpoints::ConvertOptions options, nb::list diagnostics) {
  std::vector<Diagnostic> found;
  options.onWarning = [&](const Diagnostic &warning) { found.push_back(warning); };
  Result<void> done = [&] {
    nb::gil_scoped_release release;
    return checkpoints::convertFiles(sources, target, options);
  }();
  for (Diagnostic &warning : found)
    diagnostics.append(nb::cast(std::move(warning)));
  check(done);
}

void addConversion(nb::module_ &module) {
  module.def("checkpoint_differences", &differences, nb::arg("a"), nb::arg("b"),
             "The differences of two checkpoints, a line each.");
  module.def(
      "convert_checkpoint",
      [](const std::vector<std::string> &sources, const std::string &target, const std::string &shardings,
         const std::string &like, int64_t flatten, int64_t fileBytes, const std::string &transform,
         const std::map<std::string, std::string> &variables, bool isInverse, const std::string &model,
         const nb::dict &modelOptions, nb::list diagnostics) {
        checkpoints::ConvertOptions options{shardings, like, flatten,   fileBytes, nullptr,
                                            transform, {},   isInverse, nullptr};
        options.variables.insert(variables.begin(), variables.end());
        if (!model.empty())
          options.layout = [&model, given = modelOptionsOf(modelOptions)] { return layoutOf(model, given); };
        convert(sources, target, std::move(options), std::move(diagnostics));
      },
      nb::arg("sources"), nb::arg("target"), nb::arg("shardings"), nb::arg("like"), nb::arg("flatten"),
      nb::arg("max_file_size"), nb::arg("transform"), nb::arg("variables"), nb::arg("inverse"),
      nb::arg("model"), nb::arg("model_options"), nb::arg("diagnostics"),
      nb::sig("def convert_checkpoint(sources: collections.abc.Sequence[str], target: str, shardings: str, "
              "like: str, flatten: int, max_file_size: int, transform: str, "
              "variables: collections.abc.Mapping[str, str], inverse: bool, model: str, "
              "model_options: dict[str, object], "
              "diagnostics: list[Diagnostic]) -> None"),
      "Writes a checkpoint in another layout; warnings are appended to the list.");
}

} // namespace

void addCheckpoint(nb::module_ &module) {
  nb::class_<StoredTensor>(module, "StoredTensor", "A tensor of a checkpoint.")
      .def_ro("dtype", &StoredTensor::dtype, "Name of the element type, such as \"float32\".")
      .def_ro("kind", &StoredTensor::kind, "\"parameter\" or \"state\".")
      .def_ro("dims", &StoredTensor::dims, "The dims.")
      .def_ro("shards", &StoredTensor::shards, "Begin and end of each dim, and the file, of each shard.");
  nb::class_<SharedCheckpoint>(module, "Checkpoint", "An open checkpoint.")
      .def_static("open", &open, nb::arg("path"), "Opens a checkpoint of any format that proa reads.")
      .def_prop_ro(
          "path", [](SharedCheckpoint &self) { return self.with([](Checkpoint &c) { return c.path(); }); },
          "The file that describes it.")
      .def_prop_ro("tensors", &tensorsOf, "Names and descriptions of all tensors.")
      .def_prop_ro(
          "step",
          [](SharedCheckpoint &self) {
            return self.with([](Checkpoint &checkpoint) {
              const auto &training = checkpoint.catalog().training;
              return training ? std::optional(training->step) : std::nullopt;
            });
          },
          "The number of completed steps; None: no training saved it.")
      .def(
          "read",
          [](SharedCheckpoint &self, const std::string &name, const Ranges &ranges) {
            return self.with(
                [&](Checkpoint &checkpoint) { return check(checkpoint.read(name, boxOf(ranges))); });
          },
          nb::arg("name"), nb::arg("box"), "The elements of a box of a tensor.")
      .def(
          "verify",
          [](SharedCheckpoint &self) {
            self.with([](Checkpoint &checkpoint) { check(checkpoint.verify()); });
          },
          "Reads all files and compares checksums.");
  addConversion(module);
}

} // namespace proa::python
