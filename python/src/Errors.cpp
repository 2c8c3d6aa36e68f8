#include "Errors.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <vector>

namespace nb = nanobind;

namespace proa::python {
namespace {

const char *severityOf(const Diagnostic &diagnostic) {
  constexpr const char *names[] = {"error", "warning", "remark"};
  return names[static_cast<uint8_t>(diagnostic.severity)];
}

/// Text without the line break at its end.
std::string lineOf(const Diagnostic &diagnostic) {
  std::string text = diagnostic.text();
  text.pop_back();
  return text;
}

void raise(const Failure &failure) {
  nb::list diagnostics;
  for (const Diagnostic &diagnostic : failure.diagnostics())
    diagnostics.append(nb::cast(diagnostic));
  nb::object type = nb::module_::import_("proa._errors").attr("Error");
  nb::object error = type(diagnostics);
  PyErr_SetObject(type.ptr(), error.ptr());
}

} // namespace

void addErrors(nb::module_ &module) {
  nb::class_<Diagnostic>(module, "Diagnostic", "An error, a warning or a remark about a program.")
      .def(
          "__init__",
          [](Diagnostic *self, const std::string &location, const std::string &message) {
            new (self) Diagnostic{.location = location, .message = message};
          },
          nb::arg("location"), nb::arg("message"), "An error.")
      .def_prop_ro("severity", &severityOf, "\"error\", \"warning\" or \"remark\".")
      .def_ro("location", &Diagnostic::location, "A file, a JSON path, an op or a Python line; may be empty.")
      .def_ro("message", &Diagnostic::message, "What is wrong and what was expected.")
      .def_ro("code", &Diagnostic::code, "The kind of a warning, the same in all versions.")
      .def_ro("variable", &Diagnostic::variable, "The variable concerned; may be empty.")
      .def_ro("file", &Diagnostic::file, "The program's file; may be empty.")
      .def_ro("block", &Diagnostic::block, "Index of the block; -1: the whole program.")
      .def_ro("op", &Diagnostic::op, "Index of the op in its block; -1: the whole program.")
      .def_ro("op_type", &Diagnostic::opType, "The op's type; empty without an op.")
      .def_ro("output", &Diagnostic::output, "Name of the op's first output; empty without an op.")
      .def_ro("python_file", &Diagnostic::pythonFile, "The file of the line that created the op.")
      .def_ro("python_line", &Diagnostic::pythonLine, "The line that created the op; 0: unknown.")
      .def("__str__", &lineOf)
      .def("__repr__", [](const Diagnostic &diagnostic) { return "<" + lineOf(diagnostic) + ">"; });
  nb::register_exception_translator([](const std::exception_ptr &pointer, void *) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Failure &failure) {
      try {
        raise(failure);
      } catch (nb::python_error &error) {
        error.restore();
      }
    }
  });
}

} // namespace proa::python
