/// Ops made one from the other in the hooks of ops that are formulas.
#pragma once

#include "translator/import/OpImporter.h"

namespace proa::import::hooks {

using Operands = llvm::SmallVector<mlir::Value>;

/// Makes ops of values, each of which may be null: then nothing is made, and the result is null.
class Formula {
public:
  explicit Formula(OpImporter &importer) : importer(importer), builder(importer.getBuilder()) {}

  mlir::Value make(llvm::StringRef op, llvm::ArrayRef<Operands> operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    for (const Operands &group : operands)
      if (llvm::is_contained(group, mlir::Value()))
        return {};
    return importer.createOne(op, operands, attributes);
  }
  mlir::Value binary(llvm::StringRef op, mlir::Value x, mlir::Value y) { return make(op, {{x}, {y}}); }
  mlir::Value add(mlir::Value x, mlir::Value y) { return binary("pd.add", x, y); }
  mlir::Value multiply(mlir::Value x, mlir::Value y) { return binary("pd.multiply", x, y); }
  mlir::Value scale(mlir::Value x, double factor, double bias = 0) {
    return make("pd.scale", {{x}, {}, {}}, {number("scale", factor), number("bias", bias)});
  }
  mlir::Value cast(mlir::Value x, mlir::Type type) {
    return make("pd.cast", {{x}}, {importer.named("dtype", mlir::TypeAttr::get(type))});
  }
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape) {
    return make("pd.reshape", {{x}, {}}, {integers("shape", shape)});
  }
  mlir::Value sum(mlir::Value x, llvm::ArrayRef<int64_t> axes, bool keep) {
    return make("pd.sum", {{x}},
                {integers("axis", axes), importer.named("keepdim", builder.getBoolAttr(keep))});
  }
  mlir::Value gather(mlir::Value x, mlir::Value index) { return make("pd.gather", {{x}, {index}, {}}); }
  mlir::Value slice(mlir::Value x, int64_t axis, int64_t begin, int64_t end) {
    return make("pd.slice", {{x}, {}, {}, {}},
                {integers("axes", {axis}), integers("starts", {begin}), integers("ends", {end}),
                 integers("strides", {1})});
  }
  /// Columns `begin` to `end` of a matrix.
  mlir::Value columns(mlir::Value x, int64_t begin, int64_t end) { return slice(x, 1, begin, end); }
  mlir::Value beside(mlir::Value x, mlir::Value y) {
    return make("pd.concat", {{x, y}, {}}, {importer.named("axis", builder.getI64IntegerAttr(1))});
  }
  mlir::NamedAttribute number(llvm::StringRef name, double value) {
    return importer.named(name, builder.getF64FloatAttr(value));
  }
  mlir::NamedAttribute integers(llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
    return importer.named(name, builder.getDenseI64ArrayAttr(values));
  }

  OpImporter &importer;
  mlir::OpBuilder &builder;
};

} // namespace proa::import::hooks
