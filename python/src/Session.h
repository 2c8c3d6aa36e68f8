/// The class Session of the extension.
#pragma once

#include "Shared.h"

#include "proa/Model.h"

namespace proa::python {

using SharedSession = Shared<Session>;

void addSession(nanobind::module_ &module);

} // namespace proa::python
