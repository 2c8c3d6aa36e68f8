#include "lib/compiler/program/ParameterValues.h"

#include "lib/base/support/TensorCheck.h"
#include "translator/params/PaddleParams.h"
#include "translator/params/Safetensors.h"

namespace proa {

Result<void> checkType(const std::string &where, const std::string &name, const Tensor &value, DType dtype,
                       std::span<const int64_t> dims) {
  if (std::string invalid = whyInvalid(value); !invalid.empty())
    return errorAt(where, "the value of parameter '" + name + "' " + invalid);
  bool fits = value.dtype() == dtype && value.dims().size() == dims.size();
  for (size_t d = 0; fits && d < dims.size(); ++d)
    fits = dims[d] < 0 || dims[d] == value.dims()[d];
  if (fits)
    return {};
  return errorAt(where, "parameter '" + name + "' is set to " + value.describe() + ", expected " +
                            describe(dtype, dims));
}

Result<void> writeParameters(const std::string &path, const std::map<std::string, Tensor> &values,
                             const std::vector<std::string> &saved) {
  if (path.ends_with(".safetensors"))
    return params::writeSafetensors(path, values);
  if (!path.ends_with(".pdiparams"))
    return errorAt(path, "parameters are saved as *.safetensors or *.pdiparams, found another suffix");
  Diagnostics diagnostics;
  std::vector<Tensor> tensors;
  for (const std::string &name : saved)
    if (auto value = values.find(name); value != values.end())
      tensors.push_back(value->second);
    else
      diagnostics.add(path, "variable '" + name +
                                "' has no value, but a .pdiparams file holds all variables; "
                                "a .safetensors file need not");
  if (!diagnostics.empty())
    return diagnostics;
  return params::writeCombinedParams(path, tensors);
}

} // namespace proa
