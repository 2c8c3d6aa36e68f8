#include "passes/lower-gpu/ContractionForm.h"

#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/NarrowFloats.h"
#include "passes/lower-gpu/ReductionForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace proa {

/// The block argument that `value` is, before conversions of its type.
static BlockArgument convertedArgument(Value value) {
  while (auto conversion = value.getDefiningOp<CastOpInterface>())
    value = conversion->getOperand(0);
  return dyn_cast<BlockArgument>(value);
}

/// Whether `value` is a block argument, or the 8-bit float that one holds as a byte.
static bool isStored(Value value) {
  auto cast = value.getDefiningOp<arith::BitcastOp>();
  return isa<BlockArgument>(cast && isFloat8(cast.getType()) ? cast.getIn() : value);
}

/// The type of the elements of an operand before conversions.
static Type storedElement(Value value) {
  while (auto conversion = value.getDefiningOp<CastOpInterface>()) {
    if (isStored(value))
      break;
    value = conversion->getOperand(0);
  }
  return value.getType();
}

/// The product of the two inputs that the body adds to the result; null if it does anything else.
static Operation *productOf(linalg::LinalgOp op) {
  std::optional<Combiner> combiner = Combiner::of(op);
  if (!combiner || !isa_and_present<arith::AddFOp, arith::AddIOp>(combiner->onlyOp()))
    return nullptr;
  Operation *product = combiner->onlyTerm().getDefiningOp();
  if (!isa_and_present<arith::MulFOp, arith::MulIOp>(product))
    return nullptr;
  BlockArgument x = convertedArgument(product->getOperand(0)), y = convertedArgument(product->getOperand(1));
  Block *body = op.getBlock();
  bool isOfInputs =
      x && y && x.getOwner() == body && y.getOwner() == body && x.getArgNumber() + y.getArgNumber() == 1;
  return isOfInputs ? product : nullptr;
}

static bool hasLoop(AffineMap map, unsigned loop) {
  return map.getResultPosition(getAffineDimExpr(loop, map.getContext())).has_value();
}

/// Whether each result of the map is a loop of its own, or the constant 0.
static bool isPlain(AffineMap map) { return map.isProjectedPermutation(/*allowZeroInResults=*/true); }

std::optional<ContractionForm> ContractionForm::of(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 1)
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps, isPlain) || maps[2].getNumResults() + 1 != op.getNumLoops() || !productOf(op))
    return std::nullopt;
  ContractionForm form;
  std::optional<unsigned> m, n;
  // The last dim of the result that only one operand has is that of the matrix; others are of the batch.
  for (AffineExpr result : maps[2].getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(result);
    if (!loop)
      return std::nullopt;
    bool inX = hasLoop(maps[0], loop.getPosition()), inY = hasLoop(maps[1], loop.getPosition());
    if (inX != inY)
      (inX ? m : n) = loop.getPosition();
  }
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  form.k = reduced.front();
  if (!m || !n || !hasLoop(maps[0], form.k) || !hasLoop(maps[1], form.k))
    return std::nullopt;
  form.m = *m;
  form.n = *n;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (loop != form.m && loop != form.n && loop != form.k)
      form.batch.push_back(loop);
  return form;
}

Type TensorCoreTypes::sum() const {
  Builder b(element.getContext());
  return isa<IntegerType>(element) ? Type(b.getI32Type()) : Type(b.getF32Type());
}

std::optional<TensorCoreTypes> TensorCoreTypes::of(linalg::LinalgOp op, bool allowsTf32) {
  Operation *product = productOf(op);
  if (!product)
    return std::nullopt;
  TensorCoreTypes types;
  for (Value factor : product->getOperands())
    (convertedArgument(factor).getArgNumber() == 0 ? types.element : types.yElement) = storedElement(factor);
  Type element = types.element;
  bool isOfFloat8 = isFloat8(element) && isFloat8(types.yElement);
  bool isFloat = isHalf(element) || isOfFloat8 || (allowsTf32 && element.isF32());
  if ((element != types.yElement && !isOfFloat8) || (!isFloat && !element.isSignlessInteger(8)) ||
      types.sum() != getElementTypeOrSelf(op->getOperand(2).getType()))
    return std::nullopt;
  for (Value factor : product->getOperands()) {
    Operation *conversion = factor.getDefiningOp();
    bool isWide = factor.getType() == types.sum() && (!conversion || isStored(conversion->getOperand(0))) &&
                  isa_and_present<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(conversion);
    if (!isWide && !(element.isF32() && !conversion))
      return std::nullopt;
    bool isX = convertedArgument(factor).getArgNumber() == 0;
    (isX ? types.isXUnsigned : types.isYUnsigned) = isa_and_present<arith::ExtUIOp>(conversion);
  }
  return types;
}

bool isChosenContraction(Operation *op) { return op->hasAttr(contractionAttribute); }

/// The parts of a kind are multiples of these rows and columns.
static std::pair<int64_t, int64_t> unitsOf(ProductKind kind) {
  switch (kind) {
  case ProductKind::Fma:
    return {4, 4};
  case ProductKind::Mma:
    return {16, 16};
  case ProductKind::Wgmma:
    return {64, 8};
  }
  return {1, 1};
}

/// Conditions of wgmma alone: all columns in each warpgroup, and lines of 128 bytes along k.
static LogicalResult checkWgmma(linalg::LinalgOp op, const ContractionChoice &choice) {
  int64_t bits = getElementTypeOrSelf(op->getOperand(0).getType()).getIntOrFloatBitWidth();
  int64_t line = 128 * 8 / bits;
  if (choice.partOfN == choice.n && choice.n <= 256 && choice.n % 64 == 0 && choice.m <= 256 &&
      choice.k == line && choice.stages > 1)
    return success();
  return op->emitError()
         << "the choice for the contraction: the tile is " << choice.m << ", " << choice.n << ", " << choice.k
         << " with " << choice.stages
         << " stages, expected with 'wgmma' up to 256 rows, 64, 128, 192 or 256 columns, all of "
            "them in '"
         << partAttribute << "', " << line << " for k, and 2 stages or more";
}

static FailureOr<ContractionChoice> checked(linalg::LinalgOp op, ContractionChoice choice) {
  auto refuse = [&]() -> InFlightDiagnostic { return op->emitError("the choice for the contraction: "); };
  auto [unitOfM, unitOfN] = unitsOf(choice.kind);
  std::optional<TensorCoreTypes> types = TensorCoreTypes::of(op, /*allowsTf32=*/true);
  if (choice.kind != ProductKind::Fma && !types)
    return refuse() << "'" << nameOf(choice.kind)
                    << "' needs operands of f16, bf16 or f32 and an f32 result, or of i8 and an i32 result";
  if (choice.partOfM < 1 || choice.partOfN < 1 || choice.partOfM % unitOfM != 0 ||
      choice.partOfN % unitOfN != 0)
    return refuse() << "'" << partAttribute << "' is " << choice.partOfM << ", " << choice.partOfN
                    << ", expected multiples of " << unitOfM << " and " << unitOfN;
  int64_t unitOfK =
      types && types->element.getIntOrFloatBitWidth() == 8 && choice.kind != ProductKind::Fma ? 32 : 16;
  if (choice.m % choice.partOfM != 0 || choice.n % choice.partOfN != 0 || choice.k < 1 ||
      choice.k % unitOfK != 0)
    return refuse() << "the tile is " << choice.m << ", " << choice.n << ", " << choice.k
                    << ", expected multiples of '" << partAttribute << "' and of " << unitOfK;
  if (choice.stages < 1 || choice.stages > 8)
    return refuse() << "'" << stagesAttribute << "' is " << choice.stages << ", expected 1 to 8";
  if (choice.kind == ProductKind::Wgmma && failed(checkWgmma(op, choice)))
    return failure();
  int64_t threadsOfPart = choice.kind == ProductKind::Fma ? 1 : choice.kind == ProductKind::Mma ? 32 : 128;
  choice.storingThreads = choice.m / choice.partOfM * (choice.n / choice.partOfN) * threadsOfPart;
  choice.threads = choice.storingThreads + (choice.kind == ProductKind::Wgmma ? 32 : 0);
  if (choice.threads < 32 || choice.threads > 1024 || choice.threads % 32 != 0)
    return refuse() << "a block has " << choice.threads << " threads, expected a multiple of 32 up to 1024";
  return choice;
}

FailureOr<ContractionChoice> ContractionChoice::read(linalg::LinalgOp op) {
  auto strategy = op->getAttrOfType<StringAttr>(contractionAttribute);
  auto tiles = op->getAttrOfType<DenseI64ArrayAttr>(loopTilesAttribute);
  auto part = op->getAttrOfType<DenseI64ArrayAttr>(partAttribute);
  std::optional<ContractionForm> form = ContractionForm::of(op);
  if (!form)
    return op->emitError() << "'" << contractionAttribute
                           << "' is on an op that is not a product of matrices";
  std::optional<ProductKind> kind = strategy ? productKindNamed(strategy.getValue()) : std::nullopt;
  if (!kind)
    return op->emitError() << "'" << contractionAttribute << "' is not \"fma\", \"mma\" or \"wgmma\"";
  if (!tiles || tiles.size() != op.getNumLoops() || !part || part.size() != 2)
    return op->emitError() << "a contraction needs '" << loopTilesAttribute
                           << "' with a number for each loop and '" << partAttribute << "' with two numbers";
  ContractionChoice choice;
  choice.kind = *kind;
  choice.m = tiles[form->m];
  choice.n = tiles[form->n];
  choice.k = tiles[form->k];
  choice.partOfM = part[0];
  choice.partOfN = part[1];
  if (auto stages = op->getAttrOfType<IntegerAttr>(stagesAttribute))
    choice.stages = stages.getInt();
  return checked(op, choice);
}

void useMmaInstead(linalg::LinalgOp op, const ContractionForm &form) {
  constexpr int64_t part = 64, k = 32, stages = 2;
  Builder b(op->getContext());
  auto tiles = op->getAttrOfType<DenseI64ArrayAttr>(loopTilesAttribute);
  if (!tiles || tiles.size() != op.getNumLoops())
    return; // read() reports it
  SmallVector<int64_t> changed(tiles.asArrayRef());
  changed[form.k] = k;
  op->setAttr(contractionAttribute, b.getStringAttr(nameOf(ProductKind::Mma)));
  op->setAttr(loopTilesAttribute, b.getDenseI64ArrayAttr(changed));
  op->setAttr(partAttribute, b.getDenseI64ArrayAttr({part, part}));
  op->setAttr(stagesAttribute, b.getI64IntegerAttr(stages));
}

linalg::LinalgOp epilogueOf(linalg::LinalgOp contraction) {
  Value result = contraction->getNumResults() > 0 ? contraction->getResult(0) : contraction.getDpsInits()[0];
  for (Operation *op = contraction->getNextNode(); op; op = op->getNextNode())
    if (auto reader = dyn_cast<linalg::LinalgOp>(op); reader && reader->hasAttr(epilogueAttribute))
      if (llvm::is_contained(reader.getDpsInputs(), result))
        return reader;
  return {};
}

} // namespace proa
