// The extension module proa._proa: a thin layer between the C++ interface and the Python code of the package.
#include "Checkpoint.h"
#include "Errors.h"
#include "Files.h"
#include "Function.h"
#include "Model.h"
#include "Options.h"
#include "Session.h"
#include "Tensors.h"

#include <nanobind/stl/string.h>

NB_MODULE(_proa, module) {
  module.doc() = "The library proa; the package proa wraps it.";
  module.def("version", &proa::version, "Version of the library.");
  proa::python::addErrors(module);
  proa::python::addTensors(module);
  proa::python::addOptions(module);
  proa::python::addFiles(module);
  proa::python::addSession(module);
  proa::python::addCheckpoint(module);
  proa::python::addModel(module);
  proa::python::addFunctions(module);
}
