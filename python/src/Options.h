/// Keyword arguments as options of the library.
#pragma once

#include "proa/Model.h"
#include "proa/Program.h"

#include <nanobind/nanobind.h>

#include <string>

namespace proa::python {

/// The options of these keyword arguments. Throws TypeError for an unknown one, or a value of another type.
ModelOptions modelOptionsOf(const nanobind::dict &arguments);
ProgramOptions programOptionsOf(const nanobind::dict &arguments);
AmpOptions ampOptionsOf(nanobind::handle value);

/// Adds the tables of options, from which types for Python are generated (generate_options.py).
void addOptions(nanobind::module_ &module);

} // namespace proa::python
