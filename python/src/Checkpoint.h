/// The class Checkpoint of the extension, and conversion.
#pragma once

#include <nanobind/nanobind.h>

namespace proa::python {

void addCheckpoint(nanobind::module_ &module);

} // namespace proa::python
