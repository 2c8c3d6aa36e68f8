/// Functions of the extension on files.
#pragma once

#include <nanobind/nanobind.h>

namespace proa::python {

void addFiles(nanobind::module_ &module);

} // namespace proa::python
