#include "lib/check/Differential.h"

#include "lib/base/support/Files.h"
#include "lib/base/support/TemporaryFolder.h"
#include "lib/check/Mutate.h"
#include "lib/check/ReferenceRun.h"
#include "translator/legacy/WriteProgram.h"
#include "translator/params/ModelFolder.h"

#include <fmt/format.h>

#include <optional>

namespace proa::check {
namespace {

/// Fused kernels keep more digits of 16-bit values than the evaluator, which rounds after each op.
bool hasHalfPrecision(const legacy::Program &program) {
  for (const legacy::Variable &variable : program.blocks[0].variables)
    if (variable.dtype == DType::Float16 || variable.dtype == DType::BFloat16)
      return true;
  return false;
}

/// Kernels compute in the element type, the evaluator in double precision.
CompareRule ruleFor(DType dtype, bool halfPrecision) {
  CompareRule rule;
  rule.rtol = dtype == DType::Float64 || dtype == DType::Complex128  ? 1e-8
              : dtype == DType::Float32 || dtype == DType::Complex64 ? 2e-4
                                                                     : 5e-2;
  if (halfPrecision)
    rule.rtol = 5e-2;
  rule.atol = rule.rtol / 10;
  return rule;
}

class Differential {
public:
  Differential(const CaseMeta &meta, const Tensors &parameters, uint64_t seed)
      : meta(meta), parameters(parameters), random(seed ^ std::hash<std::string>()(meta.name)) {}

  DifferentialResult result;
  Diagnostics diagnostics;

  void tryMutant(const legacy::Program &program, const Tensors &feeds, int scalar) {
    Mutant mutant = mutate(program, feeds, random);
    std::string name = fmt::format("mutant {} ({})", scalar, mutant.description);
    fmt::print("{}\n", name);
    std::fflush(stdout);
    Result<ReferenceRun> expected = runReference(mutant.program, name, parameters, meta, mutant.feeds);
    if (!expected || !expected->notEvaluated.empty()) {
      ++result.refused;
      return;
    }
    std::optional<Session> session = compile(name, mutant);
    if (!session)
      return;
    // Runtime kernels check more than the evaluator, so their refusals are not errors of the compiler.
    Result<std::vector<NamedTensor>> got = session->run(mutant.feeds);
    if (!got) {
      ++result.refused;
      return;
    }
    ++result.compared;
    compareAll(name, *got, expected->outputs, hasHalfPrecision(mutant.program));
  }

private:
  /// Returns nullopt and adds an error if the compiler rejects a program that the evaluator ran.
  std::optional<Session> compile(const std::string &name, const Mutant &mutant) {
    auto refuse = [&](const Diagnostics &why) {
      diagnostics.add(name, "the evaluator runs it, but the compiler rejects it: " + why[0].message);
      return std::nullopt;
    };
    Result<TemporaryFolder> folder = TemporaryFolder::create();
    if (!folder)
      return refuse(folder.diagnostics());
    std::string file = folder->file("program.json");
    if (Result<void> written = writeFile(file, legacy::writeJson(mutant.program)); !written)
      return refuse(written.diagnostics());
    ModelOptions options;
    options.threads = 1;
    options.cacheDirectory = "off";
    options.feeds = meta.feeds;
    options.fetches = meta.fetches;
    Result<Model> model = Model::open(file, options);
    if (!model)
      return refuse(model.diagnostics());
    Result<Session> session = model->session();
    if (!session)
      return refuse(session.diagnostics());
    for (const auto &[parameter, value] : parameters)
      if (Result<void> set = session->setParameter(parameter, value); !set)
        return refuse(set.diagnostics());
    if (Result<void> prepared = session->prepare(mutant.feeds); !prepared)
      return refuse(prepared.diagnostics());
    return std::move(*session);
  }

  void compareAll(const std::string &name, const std::vector<NamedTensor> &got,
                  const std::vector<NamedTensor> &expected, bool halfPrecision) {
    for (const NamedTensor &reference : expected)
      for (const NamedTensor &output : got)
        if (output.name == reference.name && !meta.suspect.contains(output.name))
          if (Comparison comparison =
                  compare(output.tensor, reference.tensor, ruleFor(reference.tensor.dtype(), halfPrecision));
              !comparison.passed())
            diagnostics.add(name, output.name + ": " + comparison.reason);
  }

  const CaseMeta &meta;
  const Tensors &parameters;
  std::mt19937_64 random;
};

} // namespace

Result<DifferentialResult> compareMutants(const std::string &folder, const CaseMeta &meta,
                                          const Tensors &feeds, uint64_t seed, int count) {
  Result<params::ModelFiles> files = params::findModel(folder);
  if (!files)
    return files.diagnostics();
  Result<translator::SourceProgram> program = translator::readProgram(files->program);
  if (!program)
    return program.diagnostics();
  if (!program->legacy()) // mutations are of legacy programs: nothing is compared
    return DifferentialResult();
  Result<params::Tensors> parameters = params::readParameters(*files, *program);
  if (!parameters)
    return parameters.diagnostics();
  Differential differential(meta, *parameters, seed);
  for (int i = 0; i < count; ++i)
    differential.tryMutant(*program->legacy(), feeds, i);
  if (!differential.diagnostics.empty())
    return differential.diagnostics;
  return differential.result;
}

} // namespace proa::check
