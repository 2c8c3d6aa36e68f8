#include "Session.h"

#include "Errors.h"
#include "Tensors.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

namespace nb = nanobind;

namespace proa::python {
namespace {

/// Calls Python's handlers of signals that have arrived, as Ctrl-C; returns whether one has set an exception.
/// In threads other than the main one, Python calls none.
bool hasInterrupt() {
  nb::gil_scoped_acquire acquire;
  return PyErr_CheckSignals() != 0;
}

nb::list run(SharedSession &self, const nb::dict &tensors) {
  Feeds feeds = feedsOf(tensors);
  RunOptions options{.poll = hasInterrupt};
  auto result = self.with([&](Session &session) { return session.run(feeds, options); });
  if (PyErr_Occurred()) // of a handler, which has ended the run
    throw nb::python_error();
  auto fetched = check(std::move(result));
  nb::list outputs;
  for (NamedTensor &output : fetched)
    outputs.append(nb::make_tuple(output.name, std::move(output.tensor)));
  return outputs;
}

void addRuns(nb::class_<SharedSession> &type) {
  type.def("run", &run, nb::arg("feeds"),
           nb::sig("def run(self, feeds: dict[str, Tensor]) -> list[tuple[str, Tensor]]"),
           "Runs the program once; returns the fetches with their names.")
      .def(
          "prepare",
          [](SharedSession &self, const nb::dict &tensors) {
            Feeds feeds = feedsOf(tensors);
            self.with([&](Session &session) { check(session.prepare(feeds)); });
          },
          nb::arg("feeds"), nb::sig("def prepare(self, feeds: dict[str, Tensor]) -> None"),
          "Compiles for the dims of these feeds if needed.")
      .def(
          "finish_compilation",
          [](SharedSession &self) { self.with([](Session &session) { session.finishCompilation(); }); },
          nb::sig("def finish_compilation(self) -> None"),
          "Waits until nothing is compiled in the background.")
      .def(
          "measure",
          [](SharedSession &self, const nb::dict &tensors) {
            Feeds feeds = feedsOf(tensors);
            return self.with([&](Session &session) { return check(session.measure(feeds)); });
          },
          nb::arg("feeds"), nb::sig("def measure(self, feeds: dict[str, Tensor]) -> float"),
          "Runs once without a change of state; returns the milliseconds of the run.")
      .def_prop_ro(
          "times", [](SharedSession &self) { return self.with([](Session &s) { return s.times(); }); },
          "Times of the last compilation and run.")
      .def_prop_ro(
          "threads", [](SharedSession &self) { return self.with([](Session &s) { return s.threads(); }); },
          "Number of threads of a run.")
      .def_prop_ro(
          "arena_bytes",
          [](SharedSession &self) { return self.with([](Session &s) { return s.arenaBytes(); }); },
          "Arena size of the last run, in bytes; on a mesh, the largest of the ranks of this process.");
}

void addParameters(nb::class_<SharedSession> &type) {
  type.def(
          "parameter",
          [](SharedSession &self, const std::string &name) {
            return self.with([&](Session &session) { return copyOf(check(session.parameter(name))); });
          },
          nb::arg("name"), "A copy of the value of a parameter or state variable.")
      .def(
          "set_parameter",
          [](SharedSession &self, const std::string &name, const Tensor &value) {
            self.with([&](Session &session) { check(session.setParameter(name, copyOf(value))); });
          },
          nb::arg("name"), nb::arg("value"), "Sets a parameter or state variable to a copy of the value.")
      .def(
          "save_parameters",
          [](SharedSession &self, const std::string &path) {
            self.with([&](Session &session) { check(session.saveParameters(path)); });
          },
          nb::arg("path"), "Writes all parameters and states to a .safetensors or .pdiparams file.");
}

void addCheckpoints(nb::class_<SharedSession> &type) {
  type.def(
          "save_checkpoint",
          [](SharedSession &self, const std::string &folder, int64_t step, bool waits) {
            CheckpointOptions options{.step = step, .inBackground = !waits};
            self.with([&](Session &session) { check(session.saveCheckpoint(folder, options)); });
          },
          nb::arg("folder"), nb::arg("step"), nb::arg("wait"),
          "Writes parameters, states and the state of random numbers as a checkpoint.")
      .def(
          "finish_checkpoint",
          [](SharedSession &self) { self.with([](Session &session) { check(session.finishCheckpoint()); }); },
          nb::sig("def finish_checkpoint(self) -> None"),
          "Waits for the files of a checkpoint that are written in the background.")
      .def(
          "load_checkpoint",
          [](SharedSession &self, const std::string &folder) {
            return self.with([&](Session &session) { return check(session.loadCheckpoint(folder)); });
          },
          nb::arg("folder"), "Sets all values from a checkpoint; returns the number of completed steps.")
      .def(
          "copy_values",
          [](SharedSession &self, SharedSession &other) {
            if (&self != &other)
              SharedSession::withBoth(self, other, [](Session &a, Session &b) { check(a.copyValues(b)); });
          },
          nb::arg("other"), "Copies all values of another session.");
}

void addProfile(nb::class_<SharedSession> &type) {
  type.def(
          "enable_profile",
          [](SharedSession &self, bool on) { self.with([&](Session &s) { s.enableProfile(on); }); },
          nb::arg("on"), "Turns on or off the collection of step times.")
      .def(
          "profile_table",
          [](SharedSession &self) { return self.with([](Session &s) { return s.profileTable(); }); },
          "The profile of the last profiled run as text.")
      .def(
          "profile_trace",
          [](SharedSession &self) { return self.with([](Session &s) { return s.profileTrace(); }); },
          "The profile as a trace for Chrome and Perfetto.")
      .def(
          "profile_steps",
          [](SharedSession &self) { return self.with([](Session &s) { return s.profileSteps(); }); },
          "The profile in program order.");
}

} // namespace

void addSession(nb::module_ &module) {
  nb::class_<SessionTimes>(module, "SessionTimes", "Times of compiling and running, in milliseconds.")
      .def_ro("compile", &SessionTimes::compile, "Compiling; 0 on a cache hit.")
      .def_ro("load", &SessionTimes::load, "Loading code and packing weights.")
      .def_ro("last_run", &SessionTimes::lastRun, "The last run alone.")
      .def_ro("from_cache", &SessionTimes::fromCache, "Whether the last compilation came from the cache.");
  nb::class_<StepTime>(module, "StepTime", "Time of one step of a run.")
      .def_ro("kernel", &StepTime::kernel, "The library kernel, or \"(compiled)\".")
      .def_ro("ops", &StepTime::ops, "Ops of the step: \"add+max+subtract\".")
      .def_ro("variable", &StepTime::variable, "The name of its first named result; may be empty.")
      .def_ro("types", &StepTime::types, "Types of operands and results: \"float32[2, 3] -> float32[2]\".")
      .def_ro("location", &StepTime::location, "The user's line; may be empty.")
      .def_ro("calls", &StepTime::calls, "Calls in one run.")
      .def_ro("milliseconds", &StepTime::milliseconds, "Total time of these calls.")
      .def_ro("bytes", &StepTime::bytes, "Bytes of operands and results; 0: not known.")
      .def_ro("flops", &StepTime::flops, "Arithmetic operations; 0: not known.")
      .def_ro("roofline", &StepTime::roofline, "Share of the peak rate, the larger one; 0: not known.");
  nb::class_<SharedSession> type(module, "Session",
                                 "The states, the memory and the random numbers of one user.");
  addRuns(type);
  addParameters(type);
  addCheckpoints(type);
  addProfile(type);
}

} // namespace proa::python
