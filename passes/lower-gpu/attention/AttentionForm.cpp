#include "passes/lower-gpu/attention/AttentionForm.h"

#include "passes/analysis/KernelAttributes.h"

using namespace mlir;

namespace proa {
namespace {

using Kind = AttentionChoice::Kind;

constexpr std::pair<Kind, StringLiteral> kindNames[] = {
    {Kind::Fma, "fma"}, {Kind::Mma, "mma"}, {Kind::Wgmma, "wgmma"}};

Type elementOf(pd::FusedAttentionOp op) { return getElementTypeOrSelf(op.getQ().getType()); }

LogicalResult check(pd::FusedAttentionOp op, const AttentionChoice &choice) {
  auto refuse = [&]() -> InFlightDiagnostic { return op->emitError("the choice for the attention: "); };
  bool usesTensorCores = choice.kind != Kind::Fma;
  if (usesTensorCores && elementOf(op).getIntOrFloatBitWidth() != 16)
    return refuse() << "'" << nameOf(choice.kind) << "' needs elements of f16 or bf16";
  int64_t unit = choice.kind == Kind::Fma ? 16 : choice.kind == Kind::Mma ? 16 : 64;
  int64_t mostQueries = choice.kind == Kind::Fma ? 64 : 128, mostKeys = 128;
  if (choice.queries < unit || choice.queries > mostQueries || choice.queries % unit != 0 ||
      choice.keys < 16 || choice.keys > mostKeys || choice.keys % 16 != 0)
    return refuse() << "'" << attentionTileAttribute << "' is " << choice.queries << ", " << choice.keys
                    << ", expected with '" << nameOf(choice.kind) << "' multiples of " << unit << " up to "
                    << mostQueries << " and of 16 up to " << mostKeys;
  int64_t mostStages = choice.kind == Kind::Wgmma ? 8 : 2;
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

FailureOr<AttentionChoice> AttentionChoice::read(pd::FusedAttentionOp op) {
  auto name = op->getAttrOfType<StringAttr>(attentionAttribute);
  std::optional<Kind> named = name ? attentionKindNamed(name.getValue()) : std::nullopt;
  auto tile = op->getAttrOfType<DenseI64ArrayAttr>(attentionTileAttribute);
  if (!named || !tile || tile.size() != 2)
    return op->emitError() << "an attention needs '" << attentionAttribute
                           << "' (\"fma\", \"mma\" or \"wgmma\") and '" << attentionTileAttribute
                           << "' with two numbers";
  AttentionChoice choice;
  choice.kind = *named;
  choice.queries = tile[0];
  choice.keys = tile[1];
  if (auto stages = op->getAttrOfType<IntegerAttr>(stagesAttribute))
    choice.stages = stages.getInt();
  if (failed(check(op, choice)))
    return failure();
  // Fma: 16 threads for each row of four; Mma: a warp for 16 rows; Wgmma: a warpgroup for 64.
  int64_t threadsOfRow = choice.kind == Kind::Fma ? 4 : 2;
  choice.storingThreads = choice.queries * threadsOfRow;
  choice.threads = choice.storingThreads + (choice.kind == Kind::Wgmma ? 32 : 0);
  return choice;
}

int64_t paddedElements(Kind kind, int64_t elements) {
  return static_cast<int64_t>(llvm::alignTo(elements, kind == Kind::Wgmma ? 64 : 16));
}

int64_t sharedBytesOf(const AttentionChoice &choice, int64_t headElements, int64_t valueElements,
                      Type element) {
  int64_t head = paddedElements(choice.kind, headElements),
          value = paddedElements(choice.kind, valueElements);
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  switch (choice.kind) {
  case Kind::Fma: {
    constexpr int64_t pad = 4, floatBytes = 4;
    return (choice.queries * (head + pad) + choice.stages * choice.keys * (head + pad + value + pad) +
            choice.queries * (choice.keys + pad)) *
           floatBytes;
  }
  case Kind::Mma: {
    constexpr int64_t pad = 8;
    return (choice.queries * (head + pad) + choice.stages * choice.keys * (head + pad + value + pad)) * bytes;
  }
  case Kind::Wgmma: {
    constexpr int64_t barriers = 1024;
    return (choice.queries * head + choice.stages * choice.keys * std::max(head, value)) * bytes + barriers;
  }
  }
  return 0;
}

int64_t headElementsOf(pd::FusedAttentionOp op) {
  return cast<ShapedType>(op.getQ().getType())
      .getDimSize(static_cast<unsigned>(pd::attentionDims(op.getQPermutation())[3]));
}

int64_t valueElementsOf(pd::FusedAttentionOp op) {
  return cast<ShapedType>(op.getV().getType())
      .getDimSize(static_cast<unsigned>(pd::attentionDims(op.getVPermutation())[3]));
}

pd::FusedAttentionOp attentionOf(func::FuncOp kernel) {
  if (!kernel->hasAttr(wholeKernelAttribute) || kernel.isDeclaration())
    return {};
  for (Operation &op : kernel.getBody().front())
    if (auto attention = dyn_cast<pd::FusedAttentionOp>(op))
      return attention;
  return {};
}

} // namespace proa
