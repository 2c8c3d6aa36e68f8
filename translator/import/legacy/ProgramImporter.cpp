#include "translator/import/legacy/ProgramImporter.h"

#include "translator/import/common/CreateOp.h"
#include "translator/import/common/DeviceStage.h"
#include "translator/import/legacy/FusedAttributes.h"
#include "translator/import/legacy/Recomputed.h"
#include "translator/import/legacy/interface/InterfaceFinder.h"

#include "lib/base/support/Suggest.h"

#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/ResultNames.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace proa::import {
ProgramImporter::ProgramImporter(MLIRContext &context, const legacy::Program &program,
                                 const ImportOptions &options)
    : context(context), legacyProgram(program), options(options), variables(program), builder(&context),
      interface(*this), scope(variables), lods(scope), sparseRows(*this), sharedBuffers(*this),
      gradients(*this), derivedGradients(*this), controlFlow(*this) {
  context.loadDialect<pd::PdDialect, func::FuncDialect, scf::SCFDialect, tensor::TensorDialect>();
}

Result<Interface> ProgramImporter::declaredInterface() {
  if (legacyProgram.blocks.empty())
    return errorAt(options.source, "the program has no blocks");
  interface.find();
  return interface.declared();
}

Result<OwningOpRef<ModuleOp>> ProgramImporter::run() {
  if (legacyProgram.blocks.empty())
    return errorAt(options.source, "the program has no blocks");
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    mlirErrors += (mlirErrors.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  interface.find();
  interface.warnOfDroppedStates();
  interface.createFunction();
  sparseRows.scan(legacyProgram);
  gradients.scan(legacyProgram);
  derivedGradients.find();
  controlFlow.importBlock(0, Names(interface.fetches.begin(), interface.fetches.end()));
  sharedBuffers.finishParameters();
  currentOp = nullptr;
  interface.finish();
  if (options.feedsMayHelp)
    *options.feedsMayHelp =
        !diagnostics.empty() && llvm::all_of(llvm::seq(diagnostics.size()), [&](size_t i) {
          return llvm::is_contained(consequences, i) || llvm::is_contained(ofOpenOperands, i);
        });
  if (!diagnostics.empty())
    return withoutConsequences();
  return std::move(module);
}

/// Suggests legacy ops with a similar name.
static std::string nearOps(const std::string &type) {
  std::vector<std::string> names;
  for (const LegacyOp &entry : legacyOps())
    names.push_back(entry.type.str());
  return didYouMean(type, names);
}

static StringRef deviceOf(const legacy::Operation &op) {
  const legacy::Attribute *attribute = op.attribute("op_device");
  const auto *device = attribute ? std::get_if<std::string>(&attribute->value) : nullptr;
  return device ? StringRef(*device) : StringRef();
}

void ProgramImporter::importOp(size_t index, const legacy::Operation &op) {
  currentIndex = index;
  currentOp = &op;
  if (isFeed(op) || isFetch(op))
    return;
  const LegacyOp *entry = findLegacyOp(op);
  size_t before = diagnostics.size();
  if (controlFlow.hasPending())
    controlFlow.finishPendingBefore(op);
  if (!sharedBuffers.empty())
    sharedBuffers.beforeOp(op);
  LodTracker::Source lod = lods.source(op, entry);
  SlotValues rows = sparseRows.isActive() ? sparseRows.inputRows(op) : SlotValues();
  if (isConditionalBlock(op)) {
    controlFlow.importConditionalBlock(op);
  } else if (op.type == "select_input") {
    controlFlow.importSelectInput(op);
  } else if (op.type == "select_output") {
    controlFlow.importSelectOutput(op);
  } else if (op.type == "while") {
    controlFlow.importWhile(op);
  } else if (op.type == "recurrent") {
    controlFlow.importRecurrent(op);
  } else if (op.type == "pylayer") {
    controlFlow.importPyLayer(op);
  } else if (op.type == "pylayer_grad") {
    controlFlow.importPyLayerGradient(op);
  } else if (op.type == "conditional_block_grad" || op.type == "while_grad" || op.type == "recurrent_grad") {
    controlFlow.importBlockGradient(op);
  } else if (!entry && findForwardOp(op.type)) {
    gradients.import(op);
  } else if (!entry) {
    report("op '" + op.type + "' is not known" + nearOps(op.type));
  } else {
    if (gradients.isActive())
      gradients.recordProducer(op);
    DeviceStage stage(builder, deviceOf(op));
    importKnownOp(op, *entry);
  }
  if (diagnostics.size() == before) {
    if (sparseRows.isActive())
      sparseRows.share(op, rows);
    lods.share(op, entry, lod);
    sharedBuffers.afterOp(op);
    return derivedGradients.afterOp();
  }
  for (const legacy::Slot &slot : op.outputs)
    for (const std::string &name : slot.arguments)
      poisoned.insert(name);
}

void ProgramImporter::importByEntry(OpImporter &importer) {
  importer.takesArrays = importer.entry->takesArrays;
  if (isRecomputed(importer.op))
    keepApart(importer);
  importWithFusion(importer);
}

void ProgramImporter::importWithFusion(OpImporter &importer) {
  importer.runGuarded([&] { importFused(importer); });
}

void ProgramImporter::importFused(OpImporter &importer) {
  size_t before = diagnostics.size();
  FusedAttributes fused(importer, *importer.entry);
  if (diagnostics.size() != before)
    return;
  auto importOp = [&] {
    if (!importer.entry->hook)
      return importer.importByTable();
    importer.entry->hook(importer);
    if (diagnostics.size() == before)
      importer.reportUnread();
  };
  if (fused.empty())
    return importOp();
  fused.applyToInputs();
  SlotResults results;
  {
    auto *outer = std::exchange(importer.capturedOutputs, &results);
    llvm::scope_exit restore([&] { importer.capturedOutputs = outer; });
    if (diagnostics.size() == before)
      importOp();
  }
  auto first = results.find(importer.entry->outputs.begin()->spelling.str());
  if (diagnostics.size() != before || first == results.end())
    return;
  first->second.front() = fused.applyToResult(first->second.front());
  for (auto &[slot, values] : results)
    importer.setOutputs(slot, values);
}

void ProgramImporter::define(const std::string &name, VariableId id, Value value) {
  if (name == legacy::emptyVariable)
    return;
  if (defined)
    defined->emplace_back(&name, value);
  if (auto result = dyn_cast_if_present<OpResult>(value); result && currentOp && options.locations)
    pd::setResultName(result, name, locationOf(currentIndex, *currentOp));
  scope.set(name, id, value);
  lods.clear(name);
  if (sparseRows.isActive())
    sparseRows.set(name, Value());
  if (!poisoned.empty())
    poisoned.erase(name);
  if (!options.onDiagnostic)
    return;
  const legacy::Variable *declared = variables.find(currentBlock, id);
  if (!declared || !declared->dtype || declared->kind != legacy::VariableKind::DenseTensor)
    return;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return;
  auto inferred = pd::dtypeOf(type.getElementType());
  bool same = inferred == declared->dtype && type.getRank() == static_cast<int64_t>(declared->dims.size());
  for (int64_t d = 0; same && d < type.getRank(); ++d)
    same = type.isDynamicDim(d) || declared->dims[d] < 0 || type.getDimSize(d) == declared->dims[d];
  if (same || !isRead(name))
    return;
  std::vector<int64_t> dims(type.getShape());
  for (int64_t &dim : dims)
    if (ShapedType::isDynamic(dim))
      dim = -1;
  warn("declared-type", name,
       "variable '" + name + "' is declared as " + describe(*declared->dtype, declared->dims) +
           " and inferred as " + describe(inferred.value_or(DType::Float32), dims));
}

bool ProgramImporter::isRead(const std::string &name) {
  if (!readNames) {
    readNames.emplace();
    for (const legacy::Block &block : legacyProgram.blocks)
      for (const legacy::Operation &op : block.operations)
        for (const legacy::Slot &slot : op.inputs)
          readNames->insert_range(slot.arguments);
    readNames->insert_range(interface.fetches);
    readNames->insert_range(interface.states);
  }
  return readNames->contains(name);
}

OpImporter ProgramImporter::importerOfCurrentOp() {
  return OpImporter(*this, *currentOp, builder, locationOf(currentIndex, *currentOp));
}

Location ProgramImporter::locationOf(size_t index, const legacy::Operation &op) {
  Location line = UnknownLoc::get(&context);
  if (!options.locations)
    return line;
  if (auto source = op.sourceLine())
    line = FileLineColLoc::get(&context, source->file, source->line, 0);
  for (const legacy::Slot &slot : op.outputs)
    if (!slot.arguments.empty())
      return NameLoc::get(builder.getStringAttr(slot.arguments.front()), line);
  return line;
}

Diagnostic ProgramImporter::atCurrentOp() const {
  Diagnostic diagnostic;
  diagnostic.file = options.source;
  diagnostic.location = options.source;
  if (!currentOp)
    return diagnostic;
  diagnostic.block = currentBlock;
  diagnostic.op = static_cast<int64_t>(currentIndex);
  diagnostic.opType = currentOp->type;
  for (const legacy::Slot &slot : currentOp->outputs)
    if (!slot.arguments.empty()) {
      diagnostic.output = slot.arguments.front();
      break;
    }
  if (auto source = currentOp->sourceLine()) {
    diagnostic.pythonFile = source->file;
    diagnostic.pythonLine = source->line;
  }
  diagnostic.locate();
  return diagnostic;
}

void ProgramImporter::report(const llvm::Twine &message) {
  Diagnostic error = atCurrentOp();
  error.message = message.str();
  diagnostics.add(std::move(error));
}

void ProgramImporter::reportConsequence(const llvm::Twine &message) {
  consequences.push_back(diagnostics.size());
  report(message);
}

Diagnostics ProgramImporter::withoutConsequences() const {
  Diagnostics causes;
  auto next = consequences.begin();
  for (size_t i = 0; i < diagnostics.size(); ++i) {
    if (next != consequences.end() && *next == i)
      ++next;
    else
      causes.add(diagnostics[i]);
  }
  return causes.empty() ? diagnostics : causes;
}

void ProgramImporter::warn(const char *code, llvm::StringRef variable, const llvm::Twine &message) {
  if (!options.onDiagnostic)
    return;
  Diagnostic warning = atCurrentOp();
  warning.severity = Diagnostic::Severity::Warning;
  warning.code = code;
  warning.variable = variable.str();
  warning.message = message.str();
  if (heldWarnings)
    heldWarnings->push_back(std::move(warning));
  else
    options.onDiagnostic(warning);
}

void ProgramImporter::releaseWarnings() {
  std::vector<Diagnostic> warnings = heldWarnings ? std::move(*heldWarnings) : std::vector<Diagnostic>();
  heldWarnings.reset();
  if (options.onDiagnostic)
    for (const Diagnostic &warning : warnings)
      options.onDiagnostic(warning);
}

void ProgramImporter::reportRefused(llvm::ArrayRef<llvm::SmallVector<Value>> operands) {
  if (mayDependOnFeeds(operands))
    ofOpenOperands.push_back(diagnostics.size());
  report(takeMlirErrors());
}

std::string ProgramImporter::takeMlirErrors() { return std::exchange(mlirErrors, {}); }

} // namespace proa::import
