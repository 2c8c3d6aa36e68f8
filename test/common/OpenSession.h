/// Sessions of models that a test opens.
#pragma once

#include "proa/Model.h"

#include <string>
#include <utility>

namespace proa {

/// A session of a model that nothing else uses.
inline Result<Session> openSession(const std::string &path, ModelOptions options = {}) {
  Result<Model> model = Model::open(path, std::move(options));
  return model ? model->session() : Result<Session>(model.diagnostics());
}

} // namespace proa
