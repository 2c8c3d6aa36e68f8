//! Hash codes of rows of integers (xxHash64), which ONNX lacks, in integer arithmetic modulo 2^64.
#include "translator/export/onnx/NodeExporter.h"

#include "dialects/pd/ops/nn/Hash.h"

using namespace mlir;

namespace proa::exporter::onnxhooks {
namespace {

using onnx::DataType;
using Name = NodeExporter::Name;

/// The constants of xxHash64.
constexpr uint64_t p1 = 0x9E3779B185EBCA87ULL, p2 = 0xC2B2AE3D27D4EB4FULL, p3 = 0x165667B19E3779F9ULL,
                   p4 = 0x85EBCA77C2B2AE63ULL, p5 = 0x27D4EB2F165667C5ULL;

/// Arithmetic on int64 tensors that hold the bits of uint64. ONNX Runtime multiplies signed integers only,
/// and shifts unsigned ones only.
class HashWriter {
public:
  explicit HashWriter(NodeExporter &node) : node(node) {}

  Name constant(uint64_t value) {
    Tensor tensor(DType::Int64, {});
    *tensor.as<int64_t>() = static_cast<int64_t>(value);
    return node.getGraph().addConstant(tensor);
  }
  Name cast(const Name &x, DataType to) { return node.node("Cast", {x}, {{"to", static_cast<int64_t>(to)}}); }
  Name add(const Name &x, const Name &y) { return node.node("Add", {x, y}); }
  Name times(const Name &x, uint64_t factor) { return node.node("Mul", {x, constant(factor)}); }
  Name exclusiveOr(const Name &x, const Name &y) { return node.node("BitwiseXor", {x, y}); }
  Name shifted(const Name &x, const char *direction, uint64_t bits) {
    Name value = cast(constant(bits), DataType::UInt64);
    return cast(
        node.node("BitShift", {cast(x, DataType::UInt64), value}, {{"direction", std::string(direction)}}),
        DataType::Int64);
  }
  Name rotated(const Name &x, uint64_t bits) {
    return node.node("BitwiseOr", {shifted(x, "LEFT", bits), shifted(x, "RIGHT", 64 - bits)});
  }
  Name round(const Name &accumulator, const Name &lane) {
    return times(rotated(add(accumulator, times(lane, p2)), 31), p1);
  }
  /// The hash of 8-byte lanes, and of 4 bytes after them if `rest` is not empty.
  Name hash(llvm::ArrayRef<Name> lanes, const Name &rest, uint64_t seed) {
    uint64_t bytes = 8 * lanes.size() + (rest.empty() ? 0 : 4);
    Name value = constant(seed + p5);
    if (bytes >= 32)
      value = ofBlocks(lanes, seed);
    value = add(value, constant(bytes));
    for (const Name &lane : lanes)
      value = add(times(rotated(exclusiveOr(value, round(constant(0), lane)), 27), p1), constant(p4));
    if (!rest.empty())
      value = add(times(rotated(exclusiveOr(value, times(rest, p1)), 23), p2), constant(p3));
    value = times(exclusiveOr(value, shifted(value, "RIGHT", 33)), p2);
    value = times(exclusiveOr(value, shifted(value, "RIGHT", 29)), p3);
    return exclusiveOr(value, shifted(value, "RIGHT", 32));
  }

private:
  /// Takes the lanes in blocks of four.
  Name ofBlocks(llvm::ArrayRef<Name> &lanes, uint64_t seed) {
    std::vector<Name> sums{constant(seed + p1 + p2), constant(seed + p2), constant(seed),
                           constant(seed - p1)};
    while (lanes.size() >= 4) {
      for (size_t i = 0; i < 4; ++i)
        sums[i] = round(sums[i], lanes[i]);
      lanes = lanes.drop_front(4);
    }
    Name value =
        add(add(rotated(sums[0], 1), rotated(sums[1], 7)), add(rotated(sums[2], 12), rotated(sums[3], 18)));
    for (const Name &sum : sums)
      value = add(times(exclusiveOr(value, round(constant(0), sum)), p1), constant(p4));
    return value;
  }

  NodeExporter &node;
};

} // namespace

void exportHash(NodeExporter &node) {
  auto op = node.get<pd::HashOp>();
  RankedTensorType x = pd::tensorType(op.getX());
  int64_t width = x.getShape().back();
  bool isWide = x.getElementType().isInteger(64);
  if (ShapedType::isDynamic(width) || (!isWide && !x.getElementType().isInteger(32)))
    return node.report("has a dynamic number of elements in a row, or other than 32 and 64 bits");
  HashWriter writer(node);
  Type i64 = IntegerType::get(op.getContext(), 64);
  auto column = [&](int64_t i) { // [rows]
    Name value = node.node("Gather", {node.of(op.getX()), node.scalar(static_cast<double>(i), i64)},
                           {{"axis", int64_t(1)}});
    return isWide ? value : writer.cast(writer.cast(value, DataType::UInt32), DataType::Int64);
  };
  std::vector<Name> lanes;
  for (int64_t i = 0; i + (isWide ? 0 : 1) < width; i += isWide ? 1 : 2)
    lanes.push_back(isWide ? column(i)
                           : node.node("BitwiseOr", {column(i), writer.shifted(column(i + 1), "LEFT", 32)}));
  Name rest = isWide || width % 2 == 0 ? "" : column(width - 1);
  std::vector<Name> codes;
  for (uint64_t seed = 0; seed < op.getNumHash(); ++seed)
    codes.push_back(node.unsqueeze(writer.hash(lanes, rest, seed), {1, 2})); // [rows, 1, 1]
  Name all = codes.size() == 1 ? codes.front() : node.node("Concat", codes, {{"axis", int64_t(1)}});
  Name modulus = writer.cast(writer.constant(op.getModBy()), DataType::UInt64);
  Name code = node.node("Mod", {writer.cast(all, DataType::UInt64), modulus});
  node.setResult(0, node.cast(code, pd::tensorType(op.getOut()).getElementType()));
}

} // namespace proa::exporter::onnxhooks
