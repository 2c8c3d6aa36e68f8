#include "Model.h"

#include "Errors.h"
#include "Options.h"
#include "Session.h"
#include "Tensors.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

namespace nb = nanobind;

namespace proa::python {
namespace {

/// Diagnostics that a model reports from any thread while Python's lock is not held.
class Reports {
public:
  void add(const Diagnostic &diagnostic) {
    std::lock_guard lock(mutex);
    diagnostics.push_back(diagnostic);
  }
  std::vector<Diagnostic> take() {
    std::lock_guard lock(mutex);
    return std::exchange(diagnostics, {});
  }

private:
  std::mutex mutex;
  std::vector<Diagnostic> diagnostics;
};

/// A function of Python as a function that any thread may call and destroy. Its exceptions are printed.
std::function<void(const std::string &, double)> progressOf(const nb::object &function) {
  auto destroy = [](nb::object *object) {
    nb::gil_scoped_acquire acquire;
    delete object;
  };
  std::shared_ptr<nb::object> shared(new nb::object(function), destroy);
  return [shared](const std::string &what, double fraction) {
    nb::gil_scoped_acquire acquire;
    try {
      (*shared)(what, fraction);
    } catch (nb::python_error &error) {
      error.discard_as_unraisable(*shared);
    }
  };
}

/// A model with its reports.
class OpenedModel {
public:
  static std::unique_ptr<OpenedModel> open(const std::string &path, const nb::dict &arguments,
                                           const nb::object &progress) {
    return openWith(arguments, progress, [&](ModelOptions options) { return Model::open(path, options); });
  }

  static std::unique_ptr<OpenedModel> openBytes(const std::string &name, const nb::bytes &program,
                                                const nb::dict &arguments, const nb::object &progress) {
    std::span content(static_cast<const std::byte *>(program.data()), program.size());
    return openWith(arguments, progress, [&](ModelOptions options) {
      return Model::open(ModelSource{.name = name, .program = content}, options);
    });
  }

  std::unique_ptr<SharedSession> session(std::optional<uint64_t> seed) const {
    nb::gil_scoped_release release;
    return std::make_unique<SharedSession>(check(model.session({.seed = seed})));
  }

  std::vector<Diagnostic> takeDiagnostics() { return reports->take(); }

  const Model model;

private:
  template <class Open>
  static std::unique_ptr<OpenedModel> openWith(const nb::dict &arguments, const nb::object &progress,
                                               Open openModel) {
    ModelOptions options = modelOptionsOf(arguments);
    if (!progress.is_none())
      options.progress = progressOf(progress);
    auto reports = std::make_shared<Reports>();
    options.onDiagnostic = [reports](const Diagnostic &diagnostic) { reports->add(diagnostic); };
    nb::gil_scoped_release release;
    return std::unique_ptr<OpenedModel>(
        new OpenedModel(check(openModel(std::move(options))), std::move(reports)));
  }

  OpenedModel(Model model, std::shared_ptr<Reports> reports)
      : model(std::move(model)), reports(std::move(reports)) {}

  std::shared_ptr<Reports> reports;
};

/// Adds a property that is a function of the model.
template <class Get>
void addProperty(nb::class_<OpenedModel> &type, const char *name, Get get, const char *doc) {
  type.def_prop_ro(name, [get](const OpenedModel &self) { return get(self.model); }, doc);
}

} // namespace

void addModel(nb::module_ &module) {
  nb::class_<ModelTimes>(module, "ModelTimes", "Times of opening, in milliseconds.")
      .def_ro("read", &ModelTimes::read, "Reading program and weights.")
      .def_ro("importing", &ModelTimes::import, "Importing the program.");
  nb::class_<OpenedModel> type(module, "Model", "An opened program.");
  type.def_static("open", &OpenedModel::open, nb::arg("path"), nb::arg("options"),
                  nb::arg("progress") = nb::none(),
                  nb::sig("def open(path: str, options: dict[str, object], progress: "
                          "collections.abc.Callable[[str, float], None] | None = None) -> Model"),
                  "Opens a program.")
      .def_static("open_bytes", &OpenedModel::openBytes, nb::arg("name"), nb::arg("program"),
                  nb::arg("options"), nb::arg("progress") = nb::none(),
                  nb::sig("def open_bytes(name: str, program: bytes, options: dict[str, object], progress: "
                          "collections.abc.Callable[[str, float], None] | None = None) -> Model"),
                  "Opens the content of a file with this name.")
      .def("session", &OpenedModel::session, nb::arg("seed") = nb::none(),
           "A session, which runs the program.")
      .def("take_diagnostics", &OpenedModel::takeDiagnostics,
           "The warnings and remarks since the last call of this function.");
  addProperty(type, "feeds", [](const Model &model) { return model.feeds(); }, "The feeds.");
  addProperty(type, "fetches", [](const Model &model) { return model.fetches(); }, "Names of the fetches.");
  addProperty(
      type, "fetch_infos", [](const Model &model) { return model.fetchInfos(); }, "Types of known fetches.");
  addProperty(
      type, "parameters", [](const Model &model) { return model.parameters(); }, "Parameters and states.");
  addProperty(
      type, "is_training", [](const Model &model) { return model.isTraining(); },
      "Whether a run changes states.");
  addProperty(type, "rank", [](const Model &model) { return model.rank(); }, "The rank of this process.");
  addProperty(
      type, "rank_count", [](const Model &model) { return model.rankCount(); }, "The number of ranks.");
  addProperty(type, "times", [](const Model &model) { return model.times(); }, "Times of opening.");
}

} // namespace proa::python
