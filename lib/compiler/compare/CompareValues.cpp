#include "lib/compiler/compare/CompareValues.h"

#include "lib/base/tensors/Elements.h"
#include "lib/compiler/compare/DoublePrecision.h"
#include "lib/compiler/compare/ExpectedValues.h"

#include <algorithm>
#include <cmath>

namespace proa::comparison {
namespace {

bool isFloat(DType dtype) { return dtype >= DType::Float8E4M3FN && dtype <= DType::Float64; }
bool isHalf(DType dtype) { return dtype >= DType::Float8E4M3FN && dtype <= DType::BFloat16; }

/// The relative tolerance for the narrowest type of the values. Kernels compute in the element type and may
/// round less often than op by op.
double usualTolerance(const params::Tensors &values, bool isMixed) {
  bool hasHalf = isMixed, hasSingle = false;
  for (const auto &[name, tensor] : values) {
    hasHalf |= isHalf(tensor.dtype());
    hasSingle |= tensor.dtype() == DType::Float32 || tensor.dtype() == DType::Complex64;
  }
  return hasHalf ? 5e-2 : hasSingle ? 2e-4 : 1e-8;
}

double largestElement(const Tensor &tensor) {
  FiniteStatistics facts = finiteStatisticsOf(tensor);
  return facts.finite == 0 ? 0 : std::max(std::abs(facts.minimum), std::abs(facts.maximum));
}

template <class T> double errorOf(T got, T expected) {
  auto a = widened(got), b = widened(expected);
  if constexpr (isComplex<decltype(a)>)
    return a == b ? 0 : std::abs(a - b);
  else {
    auto x = static_cast<double>(a), y = static_cast<double>(b);
    return x == y || (std::isnan(x) && std::isnan(y)) ? 0 : std::abs(x - y);
  }
}

ErrorHistogram histogramOf(const Tensor &got, const Tensor &expected) {
  ErrorHistogram histogram;
  visitElements(expected, [&](auto *reference) {
    auto *elements = got.as<std::remove_const_t<std::remove_pointer_t<decltype(reference)>>>();
    for (int64_t i = 0; i < expected.size(); ++i) {
      double error = errorOf(elements[i], reference[i]);
      if (error == 0)
        ++histogram.equal;
      else if (!std::isfinite(error))
        ++histogram.notFinite;
      else
        ++histogram.decades[static_cast<int>(std::floor(std::log10(error)))];
    }
  });
  return histogram;
}

/// Compares values with the expected ones.
class ValueComparer {
public:
  ValueComparer(const CompareRequest &request, const ExpectedValues &expected, double rtol)
      : request(request), expected(expected), rtol(rtol) {}

  ComparedValue compareWith(const ProgramValue &value, const params::Tensors &tested) const {
    ComparedValue result{value, "", {}, {}, ""};
    auto got = tested.find(value.name);
    if (got != tested.end())
      result.type = got->second.describe();
    auto reference = expected.tensors.find(value.name);
    if (auto reason = expected.missing.find(value.name); reason != expected.missing.end())
      result.notCompared = reason->second;
    else if (reference == expected.tensors.end())
      result.notCompared = "no expected value";
    else if (got == tested.end())
      result.notCompared = "the run did not return it";
    else if (value.isSampled)
      result.notCompared = "it is random";
    else
      compareTensors(got->second, reference->second, result);
    return result;
  }

private:
  void compareTensors(Tensor got, Tensor reference, ComparedValue &result) const {
    if (isFloat(got.dtype()) && isFloat(reference.dtype()) && got.dtype() != reference.dtype()) {
      got = toDoublePrecision(got);
      reference = toDoublePrecision(reference);
    } else if (reference.dtype() == DType::Complex128) {
      got = toDoublePrecision(got);
    }
    CompareRule rule{.rtol = rtol, .atol = request.atol.value_or(0.1 * rtol * largestElement(reference))};
    result.comparison = compare(got, reference, rule);
    if (got.dtype() == reference.dtype() && got.dims() == reference.dims())
      result.errors = histogramOf(got, reference);
  }

  const CompareRequest &request;
  const ExpectedValues &expected;
  double rtol;
};

Result<void> checkOptions(const CompareRequest &request) {
  const ModelOptions &options = request.options;
  auto refuse = [&](const char *what) {
    return errorAt(request.path, std::string("values cannot be compared with ") + what);
  };
  if (options.mesh || options.usesMeshOfProgram)
    return refuse("a mesh: each rank has other values");
  if (options.microBatches != 1)
    return refuse("micro-batches: the program is another one");
  if (options.amp && options.amp->scaling != AmpOptions::Scaling::None)
    return refuse("loss scaling: gradients have other values");
  return {};
}

std::string nameOfTested(const ModelOptions &options) {
  return options.target.empty() ? "cpu" : options.target;
}

std::vector<std::string> unmatchedNames(const ExpectedValues &expected, const params::Tensors &tested,
                                        const CompareRequest &request) {
  std::vector<std::string> names;
  for (const auto &[name, tensor] : expected.tensors)
    if (!tested.contains(name) && !request.feeds.contains(name) && !request.parameters.contains(name))
      names.push_back(name);
  return names;
}

} // namespace

const ComparedValue *ValueComparison::first() const {
  auto found = std::ranges::find_if(values, &ComparedValue::differs);
  return found == values.end() ? nullptr : &*found;
}

bool ValueComparison::passed() const {
  return !first() && std::ranges::none_of(fetches, &ComparedValue::differs);
}

Result<params::Tensors> runModel(const std::string &path, const ModelOptions &options,
                                 const std::map<std::string, Tensor> &feeds,
                                 const std::map<std::string, Tensor> &parameters) {
  Result<Model> model = Model::open(path, options);
  if (!model)
    return model.diagnostics();
  Result<Session> session = model->session();
  if (!session)
    return session.diagnostics();
  for (const TensorInfo &info : model->parameters())
    if (auto value = parameters.find(info.name); value != parameters.end())
      if (Result<void> set = session->setParameter(info.name, value->second); !set)
        return set.diagnostics();
  Result<std::vector<NamedTensor>> ran = session->run(feeds);
  if (!ran)
    return ran.diagnostics();
  params::Tensors values;
  for (NamedTensor &output : *ran)
    values.insert_or_assign(output.name, std::move(output.tensor));
  return values;
}

Result<ValueComparison> compareValues(const CompareRequest &request) {
  if (Result<void> checked = checkOptions(request); !checked)
    return checked.diagnostics();
  auto program = ValueProgram::open(request.path, request.options, request.feeds);
  if (!program)
    return program.diagnostics();
  ModelOptions options = request.options;
  auto fetches = runModel(request.path, options, request.feeds, request.parameters);
  if (!fetches)
    return fetches.diagnostics();
  options.fetchesAll = true;
  options.onDiagnostic = {}; // the first run has given the warnings
  auto tested = runModel(request.path, options, request.feeds, request.parameters);
  if (!tested)
    return tested.diagnostics();
  auto expected = expectedValues(request, *program, *tested);
  if (!expected)
    return expected.diagnostics();
  ValueComparison result{.tested = nameOfTested(options), .expected = expected->description};
  result.opCount = program->opCount();
  double rtol = request.rtol.value_or(usualTolerance(*tested, options.amp.has_value()));
  ValueComparer comparer(request, *expected, rtol);
  for (const ProgramValue &value : program->values()) {
    result.values.push_back(comparer.compareWith(value, *tested));
    if (fetches->contains(value.name))
      result.fetches.push_back(comparer.compareWith(value, *fetches));
  }
  if (expected->isFile)
    result.unmatched = unmatchedNames(*expected, *tested, request);
  return result;
}

} // namespace proa::comparison
