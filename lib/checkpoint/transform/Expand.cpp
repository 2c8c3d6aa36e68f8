#include "lib/checkpoint/transform/Expand.h"

#include "lib/checkpoint/transform/NamePattern.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::transform {
namespace {

class Expander {
public:
  Expander(const TensorInfos &inputs, const TensorInfos *outputs, bool isInverse, Diagnostics &warnings)
      : context{inputs, outputs, isInverse}, warnings(warnings) {
    for (const auto &[name, info] : inputs)
      context.inputNames.emplace_hint(context.inputNames.end(), name);
  }

  Result<ExpandedProgram> run(const std::vector<Statement> &statements) {
    expandNames(statements);
    rememberRenames();
    expandLayouts();
    if (context.isInverse)
      std::ranges::reverse(program.operations);
    if (!diagnostics.empty())
      return diagnostics;
    return std::move(program);
  }

private:
  void report(Diagnostic::Severity severity, size_t statement, const std::string &message) {
    bool isError = severity == Diagnostic::Severity::Error;
    (isError ? diagnostics : warnings).add(program.diagnosticAt(severity, statement, message));
  }

  /// The statements that macros from `macro` on create of one statement, in order.
  void applyMacros(size_t statement, std::span<const Macro> macros, std::vector<size_t> &results) {
    for (size_t i = 0; i < macros.size(); ++i) {
      std::optional<Expansion> expansion = macros[i].expand(program.statements[statement].statement, context);
      if (!expansion)
        continue;
      if (!expansion->error.empty())
        return report(Diagnostic::Severity::Error, statement, expansion->error);
      if (!expansion->warning.empty())
        report(Diagnostic::Severity::Warning, statement, expansion->warning);
      for (Statement &next : expansion->statements) {
        program.statements.push_back({std::move(next), static_cast<int64_t>(statement), macros[i].name});
        applyMacros(program.statements.size() - 1, macros.subspan(i + 1), results);
      }
      return;
    }
    results.push_back(statement);
  }

  static bool hasNamePlaceholder(const Statement &statement) {
    auto has = [](const Term &term) {
      return hasPlaceholder(term.name) && NamePattern(term.name).has(Placeholder::Name);
    };
    return std::ranges::any_of(statement.sources, has) || std::ranges::any_of(statement.targets, has);
  }

  /// Error: `$WORD` of another word.
  bool checkKeywords(size_t statement) {
    for (const auto *terms :
         {&program.statements[statement].statement.sources, &program.statements[statement].statement.targets})
      for (const Term &term : *terms) {
        std::string word = hasPlaceholder(term.name) ? NamePattern(term.name).unknownKeyword() : "";
        if (word.empty())
          continue;
        report(
            Diagnostic::Severity::Error, statement,
            fmt::format(
                "`{}` has the unknown placeholder `{}`, expected $LAYER_ID, $EXPERT_ID, $LAYER_ID_OFFSET or "
                "$NAME",
                term.name, word));
        return false;
      }
    return true;
  }

  /// Name macros of all statements. Those with `$NAME` are last, since it matches the names that no other
  /// statement reads. Names that a statement assigns can be matched by the statements after it.
  void expandNames(const std::vector<Statement> &statements) {
    for (const Statement &statement : statements)
      program.statements.push_back({statement});
    named.resize(statements.size());
    hasNames = std::ranges::any_of(statements, hasNamePlaceholder);
    for (bool isLast : {false, true}) {
      for (size_t i = 0; i < statements.size(); ++i) {
        size_t index = context.isInverse ? statements.size() - 1 - i : i;
        if (hasNamePlaceholder(statements[index]) != isLast || !checkKeywords(index))
          continue;
        applyMacros(index, nameMacros(), named[index]);
        for (size_t result : named[index])
          rememberNames(program.statements[result].statement);
      }
    }
  }

  void rememberNames(const Statement &statement) {
    if (hasNames)
      for (const Term &term : context.inputTerms(statement))
        context.usedNames.insert(term.name);
    for (const Term &term : context.outputTerms(statement))
      if (term.name != noTensor)
        context.inputNames.insert(term.name);
  }

  /// Only macros of sharded tensors follow renames.
  void rememberRenames() {
    auto needsRenames = [](const ExpandedStatement &each) {
      return each.statement.find("fused_qkv_old") || each.statement.find("fused_ffn");
    };
    if (std::ranges::none_of(program.statements, needsRenames))
      return;
    for (const std::vector<size_t> &results : named)
      for (size_t result : results) {
        const Statement &statement = program.statements[result].statement;
        std::vector<std::string> sources, targets;
        for (const Term &term : statement.sources)
          sources.push_back(term.name);
        for (const Term &term : statement.targets)
          targets.push_back(term.name);
        for (const std::string &source : sources)
          context.targetsOf[source] = targets;
        for (const std::string &target : targets)
          context.sourcesOf[target] = sources;
      }
  }

  void expandLayouts() {
    for (const std::vector<size_t> &list : named)
      for (size_t statement : list) {
        std::vector<size_t> results;
        applyMacros(statement, layoutMacros(), results);
        for (size_t result : results)
          addOperation(result);
      }
  }

  void addOperation(size_t statement) {
    OperationOrError result = operationOf(program.statements[statement].statement);
    if (result.error.empty() && context.isInverse)
      result = inverseOf(result.operation);
    if (!result.error.empty())
      return report(Diagnostic::Severity::Error, statement, result.error);
    result.operation.origin = statement;
    program.operations.push_back(std::move(result.operation));
  }

  MacroContext context;
  ExpandedProgram program;
  /// For each statement of the user, the results of name macros.
  std::vector<std::vector<size_t>> named;
  /// A statement has `$NAME`.
  bool hasNames = false;
  Diagnostics diagnostics;
  Diagnostics &warnings;
};

} // namespace

Diagnostic ExpandedProgram::diagnosticAt(Diagnostic::Severity severity, size_t statement,
                                         const std::string &message) const {
  std::vector<std::string> lines;
  for (int64_t at = static_cast<int64_t>(statement); at >= 0;
       at = statements[static_cast<size_t>(at)].parent) {
    const ExpandedStatement &step = statements[static_cast<size_t>(at)];
    lines.push_back(step.parent < 0 ? "statement: " + textOf(step.statement)
                                    : fmt::format("by {}: {}", step.macro, textOf(step.statement)));
  }
  std::string text = message;
  for (size_t i = lines.size(); i-- > 0;)
    text += "\n  " + lines[i];
  return {severity, statements[statement].statement.location, text};
}

Result<ExpandedProgram> expand(const std::vector<Statement> &statements, const TensorInfos &inputs,
                               const TensorInfos *outputs, bool isInverse, Diagnostics &warnings) {
  return Expander(inputs, outputs, isInverse, warnings).run(statements);
}

} // namespace proa::transform
