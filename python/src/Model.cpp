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

/// Times of a model and its session.
struct Times {
  double read, import, compile, load, lastRun;
  bool fromCache;
};

/// A session that several threads may use, one after the other.
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
        new SharedModel(check(check(Model::open(path, std::move(options))).session()), std::move(reports)));
  }

  /// Calls `work` with the model, without Python's lock. A result of type Result must be checked in `work`.
  template <class Work> auto with(Work work) {
    nb::gil_scoped_release release;
    std::lock_guard lock(mutex);
    return work(session);
  }

  std::vector<Diagnostic> takeDiagnostics() { return reports->take(); }

private:
  SharedModel(Session session, std::shared_ptr<Reports> reports)
      : session(std::move(session)), reports(std::move(reports)) {}

  std::mutex mutex;
  Session session;
  std::shared_ptr<Reports> reports;
};

nb::list run(SharedModel &self, const nb::dict &tensors) {
  Feeds feeds = feedsOf(tensors);
  auto fetched = self.with([&](Session &session) { return check(session.run(feeds)); });
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
            self.with([&](Session &session) { check(session.prepare(feeds)); });
          },
          nb::arg("feeds"), nb::sig("def prepare(self, feeds: dict[str, Tensor]) -> None"),
          "Compiles for the dims of these feeds if needed.")
      .def(
          "measure",
          [](SharedModel &self, const nb::dict &tensors) {
            Feeds feeds = feedsOf(tensors);
            return self.with([&](Session &session) { return check(session.measure(feeds)); });
          },
          nb::arg("feeds"), nb::sig("def measure(self, feeds: dict[str, Tensor]) -> float"),
          "Runs once without a change of state; returns the milliseconds of the run.");
}

void addParameters(nb::class_<SharedModel> &type) {
  type.def(
          "parameter",
          [](SharedModel &self, const std::string &name) {
            return self.with([&](Session &session) { return copyOf(check(session.parameter(name))); });
          },
          nb::arg("name"), "A copy of the value of a parameter or state variable.")
      .def(
          "set_parameter",
          [](SharedModel &self, const std::string &name, const Tensor &value) {
            self.with([&](Session &session) { check(session.setParameter(name, copyOf(value))); });
          },
          nb::arg("name"), nb::arg("value"), "Sets a parameter or state variable to a copy of the value.")
      .def(
          "save_parameters",
          [](SharedModel &self, const std::string &path) {
            self.with([&](Session &session) { check(session.saveParameters(path)); });
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
          [](SharedModel &self, bool on) { self.with([&](Session &session) { session.enableProfile(on); }); },
          nb::arg("on"), "Turns on or off the collection of step times.")
      .def(
          "profile_table",
          [](SharedModel &self) {
            return self.with([](Session &session) { return session.profileTable(); });
          },
          "The profile of the last profiled run as text.")
      .def(
          "profile_trace",
          [](SharedModel &self) {
            return self.with([](Session &session) { return session.profileTrace(); });
          },
          "The profile as a trace for Chrome and Perfetto.")
      .def(
          "profile_steps",
          [](SharedModel &self) {
            return self.with([](Session &session) { return session.profileSteps(); });
          },
          "The profile in program order.");
}

void addProperties(nb::class_<SharedModel> &type) {
  auto property = [&](const char *name, auto get, const char *doc) {
    type.def_prop_ro(name, [get](SharedModel &self) { return self.with(get); }, doc);
  };
  property("feeds", [](Session &session) { return session.model().feeds(); }, "The feeds.");
  property("fetches", [](Session &session) { return session.model().fetches(); }, "Names of the fetches.");
  property(
      "fetch_infos", [](Session &session) { return session.model().fetchInfos(); },
      "Types of known fetches.");
  property(
      "parameters", [](Session &session) { return session.model().parameters(); }, "Parameters and states.");
  property(
      "is_training", [](Session &session) { return session.model().isTraining(); },
      "Whether a run changes states.");
  property("rank", [](Session &session) { return session.model().rank(); }, "The rank of this process.");
  property(
      "rank_count", [](Session &session) { return session.model().rankCount(); }, "The number of ranks.");
  property("threads", [](Session &session) { return session.threads(); }, "Number of threads of a run.");
  property(
      "arena_bytes", [](Session &session) { return session.arenaBytes(); }, "Arena size of the last run.");
  property(
      "times",
      [](Session &session) {
        const SessionTimes &times = session.times();
        const ModelTimes &opened = session.model().times();
        return Times{opened.read, opened.import, times.compile, times.load, times.lastRun, times.fromCache};
      },
      "Times of the last open and run.");
}

} // namespace

void addModel(nb::module_ &module) {
  nb::class_<Times>(module, "Times", "Times of opening, compiling and running, in milliseconds.")
      .def_ro("read", &Times::read, "Reading program and weights.")
      .def_ro("import_", &Times::import, "Importing the program.")
      .def_ro("compile", &Times::compile, "Compiling; 0 on a cache hit.")
      .def_ro("load", &Times::load, "Loading code and packing weights.")
      .def_ro("last_run", &Times::lastRun, "The last run alone.")
      .def_ro("from_cache", &Times::fromCache, "Whether the last compilation came from the cache.");
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
