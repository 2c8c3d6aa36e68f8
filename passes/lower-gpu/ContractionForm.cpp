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
  // The last dim of the result that only one operand has belongs to the matrix, others to the batch.
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

static MatrixElement matrixElementOf(Type element, bool isUnsigned) {
  if (isa<IntegerType>(element))
    return isUnsigned ? MatrixElement::U8 : MatrixElement::S8;
  if (isa<Float8E4M3FNType>(element))
    return MatrixElement::E4M3;
  if (isa<Float8E5M2Type>(element))
    return MatrixElement::E5M2;
  return element.isF32() ? MatrixElement::TF32 : element.isF16() ? MatrixElement::F16 : MatrixElement::BF16;
}

MatrixElement TensorCoreTypes::xElement() const { return matrixElementOf(element, isXUnsigned); }

MatrixElement TensorCoreTypes::yElement() const { return matrixElementOf(yType, isYUnsigned); }

std::optional<TensorCoreTypes> TensorCoreTypes::of(linalg::LinalgOp op, bool allowsTf32) {
  Operation *product = productOf(op);
  if (!product)
    return std::nullopt;
  TensorCoreTypes types;
  for (Value factor : product->getOperands())
    (convertedArgument(factor).getArgNumber() == 0 ? types.element : types.yType) = storedElement(factor);
  Type element = types.element;
  bool isOfFloat8 = isFloat8(element) && isFloat8(types.yType);
  bool isFloat = isHalf(element) || isOfFloat8 || (allowsTf32 && element.isF32());
  if ((element != types.yType && !isOfFloat8) || (!isFloat && !element.isSignlessInteger(8)) ||
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

bool isFusedWith(Operation *op, FusedWith role) {
  auto loops = op->getAttrOfType<LoopsAttr>(loopsAttribute);
  return loops && loops.getFusedWith() == role;
}

ContractionAttr contractionOf(Operation *op) {
  return op->getAttrOfType<ContractionAttr>(contractionAttribute);
}

/// Conditions of wgmma alone: all columns in each warpgroup, and lines of 128 bytes along k.
static LogicalResult checkWgmma(linalg::LinalgOp op, const ContractionChoice &choice) {
  int64_t bits = getElementTypeOrSelf(op->getOperand(0).getType()).getIntOrFloatBitWidth();
  int64_t line = 128 * 8 / bits;
  if (choice.warpN == choice.n && choice.n <= wgmmaInstruction.mostColumns && choice.n % 64 == 0 &&
      choice.m <= 256 && choice.k == line && choice.stages > 1)
    return success();
  return op->emitError()
         << "the choice for the contraction: the tile is " << choice.m << ", " << choice.n << ", " << choice.k
         << " with " << choice.stages
         << " stages, expected with 'wgmma' up to 256 rows, 64, 128, 192 or 256 columns, all of them in "
            "`warp`, "
         << line << " for k, and 2 stages or more";
}

static FailureOr<ContractionChoice> checked(linalg::LinalgOp op, ContractionChoice choice) {
  auto refuse = [&]() -> InFlightDiagnostic { return op->emitError("the choice for the contraction: "); };
  std::optional<TensorCoreTypes> types = TensorCoreTypes::of(op, /*allowsTf32=*/true);
  if (choice.kind != MatmulKind::Fma && !types)
    return refuse() << "'" << stringifyMatmulKind(choice.kind)
                    << "' needs operands of f16, bf16 or f32 and an f32 result, or of i8 and an i32 result";
  const MatrixInstruction &instruction = instructionOf(choice.kind);
  int64_t unitOfK = std::max<int64_t>(16, types ? instruction.k(types->element.getIntOrFloatBitWidth()) : 1);
  if (choice.m % choice.warpM != 0 || choice.n % choice.warpN != 0 || choice.k % unitOfK != 0)
    return refuse() << "the tile is " << choice.m << ", " << choice.n << ", " << choice.k
                    << ", expected multiples of `warp` and of " << unitOfK;
  if (choice.kind == MatmulKind::Wgmma && failed(checkWgmma(op, choice)))
    return failure();
  choice.storingThreads = choice.m / choice.warpM * (choice.n / choice.warpN) * instruction.threads;
  choice.threads = choice.storingThreads + (choice.kind == MatmulKind::Wgmma ? 32 : 0);
  if (choice.threads < 32 || choice.threads > 1024 || choice.threads % 32 != 0)
    return refuse() << "a block has " << choice.threads << " threads, expected a multiple of 32 up to 1024";
  return choice;
}

FailureOr<ContractionChoice> ContractionChoice::read(linalg::LinalgOp op) {
  ContractionAttr attribute = contractionOf(op);
  std::optional<ContractionForm> form = ContractionForm::of(op);
  if (!form)
    return op->emitError() << "'" << contractionAttribute << "' is on an op that is not a matmul";
  if (!attribute || attribute.getTile().size() != op.getNumLoops())
    return op->emitError() << "'" << contractionAttribute << "' needs `kind`, `warp`, and a `tile` of "
                           << op.getNumLoops() << " sizes (--proa-choose-contraction)";
  ContractionChoice choice;
  choice.kind = *attribute.getKind();
  choice.m = attribute.getTile()[form->m];
  choice.n = attribute.getTile()[form->n];
  choice.k = attribute.getTile()[form->k];
  choice.warpM = attribute.getWarp()[0];
  choice.warpN = attribute.getWarp()[1];
  choice.stages = attribute.getStages().value_or(1);
  return checked(op, choice);
}

void useMmaInstead(linalg::LinalgOp op, const ContractionForm &form) {
  constexpr int64_t warp = 64, k = 32, stages = 2;
  ContractionAttr own = contractionOf(op);
  SmallVector<int64_t> tile(own.getTile());
  if (tile.size() != op.getNumLoops())
    return; // read() reports it
  tile[form.k] = k;
  op->setAttr(contractionAttribute,
              ContractionAttr::get(op->getContext(), MatmulKind::Mma, tile, {warp, warp}, stages,
                                   own.getSplitK(), own.getWholeSteps()));
}

linalg::LinalgOp epilogueOf(linalg::LinalgOp contraction) {
  Value result = contraction->getNumResults() > 0 ? contraction->getResult(0) : contraction.getDpsInits()[0];
  for (Operation *op = contraction->getNextNode(); op; op = op->getNextNode())
    if (auto reader = dyn_cast<linalg::LinalgOp>(op); reader && isFusedWith(reader, FusedWith::Result))
      if (llvm::is_contained(reader.getDpsInputs(), result))
        return reader;
  return {};
}

} // namespace proa
