#include "passes/lower-gpu/attention/AttentionForm.h"

#include "passes/analysis/KernelAttributes.h"

using namespace mlir;

namespace proa {
namespace {

using Kind = AttentionChoice::Kind;

constexpr std::pair<Kind, StringLiteral> kindNames[] = {
    {Kind::Fma, "fma"}, {Kind::Mma, "mma"}, {Kind::Wgmma, "wgmma"}};

Type elementOf(pd::FusedAttentionOpInterface op) { return getElementTypeOrSelf(op.getQ().getType()); }

LogicalResult check(pd::FusedAttentionOpInterface op, const AttentionChoice &choice) {
  auto refuse = [&]() -> InFlightDiagnostic { return op->emitError("the choice for the attention: "); };
  bool usesTensorCores = choice.kind != Kind::Fma;
  if (usesTensorCores && elementOf(op).getIntOrFloatBitWidth() != 16)
    return refuse() << "'" << nameOf(choice.kind) << "' needs elements of f16 or bf16";
  if (isGradient(op) && choice.kind == Kind::Wgmma)
    return refuse() << "gradients have no form with 'wgmma'";
  struct Range {
    int64_t unit, most;
    bool has(int64_t size) const { return size >= unit && size <= most && size % unit == 0; }
  };
  Range queries{choice.kind == Kind::Wgmma ? 64 : 16, choice.kind == Kind::Fma ? 64 : 128}, keys{16, 128};
  if (choice.isByKeys)
    std::swap(queries, keys);
  if (!queries.has(choice.queries) || !keys.has(choice.keys))
    return refuse() << "'" << attentionTileAttribute << "' is " << choice.queries << ", " << choice.keys
                    << ", expected with '" << nameOf(choice.kind) << "' multiples of " << queries.unit
                    << " up to " << queries.most << " and of " << keys.unit << " up to " << keys.most;
  int64_t mostStages = isGradient(op) ? 1 : choice.kind == Kind::Wgmma ? 8 : 2;
  if (choice.stages < 1 || choice.stages > mostStages)
    return refuse() << "'" << stagesAttribute << "' is " << choice.stages << ", expected 1 to " << mostStages;
  return success();
}

} // namespace

StringRef nameOf(Kind kind) {
  for (auto [own, name] : kindNames)
    if (own == kind)
      return name;
  return "";
}

std::optional<Kind> attentionKindNamed(StringRef name) {
  for (auto [kind, own] : kindNames)
    if (own == name)
      return kind;
  return std::nullopt;
}

void AttentionChoice::setThreads() {
  // Fma: 16 threads for each row of four; Mma: a warp for 16 rows; Wgmma: a warpgroup for 64.
  int64_t threadsOfRow = kind == Kind::Fma ? 4 : 2;
  storingThreads = rows() * threadsOfRow;
  threads = storingThreads + (kind == Kind::Wgmma ? 32 : 0);
}

FailureOr<AttentionChoice> AttentionChoice::read(pd::FusedAttentionOpInterface op) {
  auto name = op->getAttrOfType<StringAttr>(attentionAttribute);
  std::optional<Kind> named = name ? attentionKindNamed(name.getValue()) : std::nullopt;
  auto tile = op->getAttrOfType<DenseI64ArrayAttr>(attentionTileAttribute);
  if (!named || !tile || tile.size() != 2)
    return op->emitError() << "an attention needs '" << attentionAttribute
                           << "' (\"fma\", \"mma\" or \"wgmma\") and '" << attentionTileAttribute
                           << "' with two numbers";
  AttentionChoice choice;
  choice.kind = *named;
  choice.isByKeys = isa<pd::FusedAttentionKvGradOp>(op);
  choice.queries = tile[0];
  choice.keys = tile[1];
  if (auto stages = op->getAttrOfType<IntegerAttr>(stagesAttribute))
    choice.stages = stages.getInt();
  if (failed(check(op, choice)))
    return failure();
  choice.setThreads();
  return choice;
}

int64_t paddedElements(Kind kind, int64_t elements) {
  return static_cast<int64_t>(llvm::alignTo(elements, kind == Kind::Wgmma ? 64 : 16));
}

int64_t sharedBytesOf(const AttentionChoice &choice, pd::FusedAttentionOpInterface op) {
  int64_t head = paddedElements(choice.kind, headElementsOf(op)),
          value = paddedElements(choice.kind, valueElementsOf(op));
  int64_t bytes = elementOf(op).getIntOrFloatBitWidth() / 8;
  if (choice.kind == Kind::Wgmma) {
    constexpr int64_t barriers = 1024;
    return (choice.queries * head + choice.stages * choice.keys * std::max(head, value)) * bytes + barriers;
  }
  int64_t pad = choice.kind == Kind::Fma ? 4 : 8, rowElements = head + pad + value + pad;
  int64_t elements = choice.rows() * (isGradient(op) ? rowElements : head + pad) +
                     choice.stages * choice.columns() * rowElements;
  if (choice.kind == Kind::Fma) // the weights
    elements += choice.rows() * (choice.columns() + pad);
  return elements * bytes;
}

bool isGradient(pd::FusedAttentionOpInterface op) { return !isa<pd::FusedAttentionOp>(op); }

int64_t headElementsOf(pd::FusedAttentionOpInterface op) {
  return cast<ShapedType>(op.getQ().getType())
      .getDimSize(static_cast<unsigned>(pd::attentionDims(op.getQPermutation())[3]));
}

int64_t valueElementsOf(pd::FusedAttentionOpInterface op) {
  return cast<ShapedType>(op.getV().getType())
      .getDimSize(static_cast<unsigned>(pd::attentionDims(op.getVPermutation())[3]));
}

pd::FusedAttentionOpInterface attentionOf(func::FuncOp kernel) {
  if (!kernel->hasAttr(wholeKernelAttribute) || kernel.isDeclaration())
    return {};
  for (Operation &op : kernel.getBody().front())
    if (auto attention = dyn_cast<pd::FusedAttentionOpInterface>(op))
      return attention;
  return {};
}

} // namespace proa
