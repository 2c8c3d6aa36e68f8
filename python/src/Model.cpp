#include "Model.h"

#include "Errors.h"
#include "Options.h"
#include "Tensors.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

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
  return [shared](const std::string &what, double part) {
    nb::gil_scoped_acquire acquire;
    try {
      (*shared)(what, part);
    } catch (nb::python_error &error) {
      error.discard_as_unraisable(*shared);
    }
  };
}

/// A model that several threads may use, one after the other.
class SharedModel {
public:
  static std::unique_ptr<SharedModel> open(const std::string &path, const nb::dict &arguments,
                                           const nb::object &progress) {
    ModelOptions options = modelOptionsOf(arguments);
    if (!progress.is_none())
      options.progress = progressOf(progress);
    auto reports = std::make_shared<Reports>();
    options.onDiagnostic = [reports](const Diagnostic &diagnostic) { reports->add(diagnostic); };
    nb::gil_scoped_release release;
    return std::unique_ptr<SharedModel>(
        new SharedModel(check(Model::open(path, std::move(options))), std::move(reports)));
  }

  /// Calls `work` with the model, without Python's lock. A result of type Result must be checked in `work`.
  template <class Work> auto with(Work work) {
    nb::gil_scoped_release release;
    std::lock_guard lock(mutex);
    return work(model);
  }

  std::vector<Diagnostic> takeDiagnostics() { return reports->take(); }

private:
  SharedModel(Model model, std::shared_ptr<Reports> reports)
      : model(std::move(model)), reports(std::move(reports)) {}

  std::mutex mutex;
  Model model;
  std::shared_ptr<Reports> reports;
};

nb::list run(SharedModel &self, const nb::dict &tensors) {
  Feeds feeds = feedsOf(tensors);
  auto fetched = self.with([&](Model &model) { return check(model.run(feeds)); });
  nb::list outputs;
  for (NamedTensor &output : fetched)
    outputs.append(nb::make_tuple(output.name, std::move(output.tensor)));
  return outputs;
}

void addRuns(nb::class_<SharedModel> &type) {
  type.def("run", &run, nb::arg("feeds"),
           nb::sig("def run(self, feeds: dict[str, Tensor]) -> list[tuple[str, Tensor]]"),
           "Runs the program once; returns the fetches with their names.")
      .def(
          "prepare",
          [](SharedModel &self, const nb::dict &tensors) {
            Feeds feeds = feedsOf(tensors);
            self.with([&](Model &model) { check(model.prepare(feeds)); });
          },
          nb::arg("feeds"), nb::sig("def prepare(self, feeds: dict[str, Tensor]) -> None"),
          "Compiles for the dims of these feeds if needed.")
      .def(
          "measure",
          [](SharedModel &self, const nb::dict &tensors) {
            Feeds feeds = feedsOf(tensors);
            return self.with([&](Model &model) { return check(model.measure(feeds)); });
          },
          nb::arg("feeds"), nb::sig("def measure(self, feeds: dict[str, Tensor]) -> float"),
          "Runs once without a change of state; returns the milliseconds of the run.");
}

void addParameters(nb::class_<SharedModel> &type) {
  type.def(
          "parameter",
          [](SharedModel &self, const std::string &name) {
            return self.with([&](Model &model) { return copyOf(check(model.parameter(name))); });
          },
          nb::arg("name"), "A copy of the value of a parameter or state variable.")
      .def(
          "set_parameter",
          [](SharedModel &self, const std::string &name, const Tensor &value) {
            self.with([&](Model &model) { check(model.setParameter(name, copyOf(value))); });
          },
          nb::arg("name"), nb::arg("value"), "Sets a parameter or state variable to a copy of the value.")
      .def(
          "save_parameters",
          [](SharedModel &self, const std::string &path) {
            self.with([&](Model &model) { check(model.saveParameters(path)); });
          },
          nb::arg("path"), "Writes all parameters and states to a .safetensors or .pdiparams file.");
}

void addProfile(nb::class_<SharedModel> &type, nb::module_ &module) {
  nb::class_<StepTime>(module, "StepTime", "Time of one step of a run.")
      .def_ro("kernel", &StepTime::kernel, "The library kernel, or \"(compiled)\".")
      .def_ro("ops", &StepTime::ops, "Ops of the step: \"add+max+subtract\".")
      .def_ro("location", &StepTime::location, "The user's line; may be empty.")
      .def_ro("calls", &StepTime::calls, "Calls in one run.")
      .def_ro("milliseconds", &StepTime::milliseconds, "Total time of these calls.")
      .def_ro("bytes", &StepTime::bytes, "Bytes of operands and results; 0: not known.")
      .def_ro("flops", &StepTime::flops, "Arithmetic operations; 0: not known.")
      .def_ro("roofline", &StepTime::roofline, "Share of the peak rate, the larger one; 0: not known.");
  type.def(
          "enable_profile",
          [](SharedModel &self, bool on) { self.with([&](Model &model) { model.enableProfile(on); }); },
          nb::arg("on"), "Turns on or off the collection of step times.")
      .def(
          "profile_table",
          [](SharedModel &self) { return self.with([](Model &model) { return model.profileTable(); }); },
          "The profile of the last profiled run as text.")
      .def(
          "profile_trace",
          [](SharedModel &self) { return self.with([](Model &model) { return model.profileTrace(); }); },
          "The profile as a trace for Chrome and Perfetto.")
      .def(
          "profile_steps",
          [](SharedModel &self) { return self.with([](Model &model) { return model.profileSteps(); }); },
          "The profile in program order.");
}

void addProperties(nb::class_<SharedModel> &type) {
  auto property = [&](const char *name, auto get, const char *doc) {
    type.def_prop_ro(name, [get](SharedModel &self) { return self.with(get); }, doc);
  };
  property("feeds", [](Model &model) { return model.feeds(); }, "The feeds.");
  property("fetches", [](Model &model) { return model.fetches(); }, "Names of the fetches.");
  property("fetch_infos", [](Model &model) { return model.fetchInfos(); }, "Types of known fetches.");
  property("parameters", [](Model &model) { return model.parameters(); }, "Parameters and states.");
  property("is_training", [](Model &model) { return model.isTraining(); }, "Whether a run changes states.");
  property("rank", [](Model &model) { return model.rank(); }, "The rank of this process.");
  property("rank_count", [](Model &model) { return model.rankCount(); }, "The number of ranks.");
  property("threads", [](Model &model) { return model.threads(); }, "Number of threads of a run.");
  property("arena_bytes", [](Model &model) { return model.arenaBytes(); }, "Arena size of the last run.");
  property("times", [](Model &model) { return model.times(); }, "Times of the last open and run.");
}

} // namespace

void addModel(nb::module_ &module) {
  nb::class_<ModelTimes>(module, "Times", "Times of opening, compiling and running, in milliseconds.")
      .def_ro("read", &ModelTimes::read, "Reading program and weights.")
      .def_ro("import_", &ModelTimes::import, "Importing the program.")
      .def_ro("compile", &ModelTimes::compile, "Compiling; 0 on a cache hit.")
      .def_ro("load", &ModelTimes::load, "Loading code and packing weights.")
      .def_ro("last_run", &ModelTimes::lastRun, "The last run alone.")
      .def_ro("from_cache", &ModelTimes::fromCache, "Whether the last compilation came from the cache.");
  nb::class_<SharedModel> type(module, "Model", "An opened program with its weights and state.");
  type.def_static("open", &SharedModel::open, nb::arg("path"), nb::arg("options"),
                  nb::arg("progress") = nb::none(),
                  nb::sig("def open(path: str, options: dict[str, object], progress: "
                          "collections.abc.Callable[[str, float], None] | None = None) -> Model"),
                  "Opens a program.")
      .def("take_diagnostics", &SharedModel::takeDiagnostics,
           "The warnings and remarks since the last call of this function.");
  addRuns(type);
  addParameters(type);
  addProfile(type, module);
  addProperties(type);
}

} // namespace proa::python
