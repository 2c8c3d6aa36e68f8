//! The field `library`: the signatures of the runtime's library kernels, without MLIR. A generated file has
//! two files. The first, for the kernels, declares for each kernel the struct of its attributes, the reader
//! of that struct and the factory. The second, with PROA_KERNEL_TABLE defined, has the rows of the table in
//! lib/runtime/plan/Library.cpp.
#include "Records.h"

#include "mlir/TableGen/AttrOrTypeDef.h"
#include "mlir/TableGen/EnumInfo.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TableGen/Error.h"

using namespace proa::tblgen;
using mlir::tblgen::NamedAttribute;
using mlir::tblgen::NamedTypeConstraint;
using mlir::tblgen::Operator;

namespace {

std::string camel(llvm::StringRef name, bool capitalize) {
  return llvm::convertToCamelFromSnakeCase(name, capitalize);
}

//===-- Element types -----------------------------------------------------------------------------------===//

/// One element type, as the predicates of TableGen's type constraints see it.
struct Element {
  const char *dtype;               ///< enumerator of proa::DType
  const char *test;                ///< the predicate that holds for it alone
  const char *component = nullptr; ///< of a complex number: the test of its components
};
constexpr Element elements[] = {
    {"Bool", ".isSignlessInteger(1)"},
    {"UInt8", ".isUnsignedInteger(8)"},
    {"UInt16", ".isUnsignedInteger(16)"},
    {"UInt32", ".isUnsignedInteger(32)"},
    {"UInt64", ".isUnsignedInteger(64)"},
    {"Int8", ".isSignlessInteger(8)"},
    {"Int16", ".isSignlessInteger(16)"},
    {"Int32", ".isSignlessInteger(32)"},
    {"Int64", ".isSignlessInteger(64)"},
    {"Float8E4M3FN", "<::mlir::Float8E4M3FNType>"},
    {"Float8E5M2", "<::mlir::Float8E5M2Type>"},
    {"Float16", ".isF16()"},
    {"BFloat16", "<::mlir::BFloat16Type>"},
    {"Float32", ".isF32()"},
    {"Float64", ".isF64()"},
    {"Complex64", "<::mlir::ComplexType>", ".isF32()"},
    {"Complex128", "<::mlir::ComplexType>", ".isF64()"},
};

/// A type that a value of an op may have: a tensor of one element type, or a tensor array.
struct Candidate {
  const Element *element = nullptr; ///< null: an array
  bool isComponent = false;         ///< the predicate is about the components of a complex number
};

bool holdsLeaf(llvm::StringRef expression, const Candidate &candidate) {
  if (expression.contains("::proa::pd::ArrayType"))
    return !candidate.element;
  if (expression.contains("::mlir::RankedTensorType") || expression.contains("::mlir::TensorType"))
    return candidate.element;
  bool isTypeTest =
      expression.contains(".isF") || expression.contains("Integer(") || expression.contains("isa<::");
  if (!isTypeTest) // of ranks and dims, which the plan says elsewhere
    return true;
  if (!candidate.element)
    return false;
  const char *test = candidate.isComponent ? candidate.element->component : candidate.element->test;
  return test && expression.contains(test);
}

/// Evaluates a predicate (mlir/IR/Constraints.td) for one candidate.
bool holds(const llvm::Record &predicate, Candidate candidate) {
  if (predicate.isSubClassOf("CPred"))
    return holdsLeaf(predicate.getValueAsString("predExpr"), candidate);
  if (predicate.isSubClassOf("SubstLeaves") &&
      predicate.getValueAsString("replacement").contains("::mlir::ComplexType"))
    candidate.isComponent = true;
  auto children = predicate.getValueAsListOfDefs("children");
  auto childHolds = [&](const llvm::Record *child) { return holds(*child, candidate); };
  llvm::StringRef kind = predicate.getValueAsDef("kind")->getName();
  if (kind == "PredCombinerOr")
    return llvm::any_of(children, childHolds);
  if (kind == "PredCombinerNot")
    return !childHolds(children.front());
  return llvm::all_of(children, childHolds);
}

/// `{"x", Arity::Required, false, {DType::Float32, DType::Float64}}`. A type that is not one of tensors, such
/// as a future, means a tensor of any dtype.
void emitOperand(const llvm::Record &record, const NamedTypeConstraint &value, llvm::StringRef fallback,
                 llvm::raw_ostream &os) {
  const llvm::Record &predicate = *value.constraint.getDef().getValueAsDef("predicate");
  bool takesHalf = record.getValueAsBit("libraryHalf");
  bool takesArrays = holds(predicate, Candidate());
  llvm::StringRef name = value.name.empty() ? fallback : value.name;
  os << "{" << quoted(name) << ", Arity::" << arityOf(value) << ", " << (takesArrays ? "true" : "false")
     << ", {";
  llvm::ListSeparator comma;
  bool isTensor =
      llvm::any_of(elements, [&](const Element &element) { return holds(predicate, {&element}); });
  for (const Element &element : elements) {
    llvm::StringRef dtype = element.dtype;
    bool isHalf = dtype == "Float16" || dtype == "BFloat16";
    if ((!isTensor || holds(predicate, {&element})) && (takesHalf || !isHalf))
      os << comma << "DType::" << dtype;
  }
  os << "}}, ";
}

//===-- Attributes --------------------------------------------------------------------------------------===//

/// The parameters of an attribute class (AttrDef) become a struct of that name with the suffix "Attribute".
std::string structOf(const mlir::tblgen::AttrDef &definition) {
  return llvm::StringRef(definition.getCppClassName()).rsplit("Attr").first.str() + "Attribute";
}

/// Attributes of enums are attribute classes of MLIR, but not of the runtime.
bool isAttributeClass(const mlir::tblgen::Attribute &attribute) {
  return attribute.getBaseAttr().getDef().isSubClassOf("AttrDef") && !enumOf(attribute);
}

/// The C++ type of an attribute in the runtime.
std::string typeOf(const llvm::Record &record, const NamedAttribute &attribute) {
  mlir::tblgen::Attribute base = attribute.attr.getBaseAttr();
  if (isAttributeClass(attribute.attr))
    return structOf(mlir::tblgen::AttrDef(&base.getDef()));
  if (base.getDef().isSubClassOf("TypedArrayAttrBase")) {
    const llvm::Record *element = base.getDef().getValueAsDef("elementAttr");
    if (element->isSubClassOf("AttrDef"))
      return "std::vector<" + structOf(mlir::tblgen::AttrDef(element)) + ">";
  }
  if (const llvm::Record *values = enumOf(attribute.attr))
    return mlir::tblgen::EnumInfo(values).getEnumClassName().str();
  llvm::StringRef type = llvm::StringSwitch<llvm::StringRef>(base.getStorageType().trim())
                             .Case("::mlir::BoolAttr", "bool")
                             .Case("::mlir::IntegerAttr", "int64_t")
                             .Case("::mlir::FloatAttr", "double")
                             .Case("::mlir::StringAttr", "std::string")
                             .Case("::mlir::TypeAttr", "DType")
                             .Case("::mlir::DenseI64ArrayAttr", "std::vector<int64_t>")
                             .Case("::mlir::DenseF64ArrayAttr", "std::vector<double>")
                             .Default("");
  if (type.empty())
    llvm::PrintFatalError(record.getLoc(),
                          "library: the runtime has no type for the attribute '" + attribute.name + "'");
  return type.str();
}

/// A field of a kernel's struct.
struct Field {
  llvm::StringRef attribute; ///< its name in the record
  std::string type, defaultValue;
  bool isRequired;
};

/// The default value as C++ without MLIR: the enums of pd have the same names in proa::runtime.
std::string defaultOf(const mlir::tblgen::Attribute &kind) {
  if (!kind.hasDefaultValue())
    return "";
  llvm::StringRef value = kind.getDefaultValue();
  if (enumOf(kind))
    value.consume_front("::proa::pd::");
  return value.str();
}

llvm::SmallVector<Field> fieldsOf(const llvm::Record &record) {
  llvm::SmallVector<Field> fields;
  Operator op(record);
  for (const NamedAttribute &attribute : op.getAttributes()) {
    const mlir::tblgen::Attribute &kind = attribute.attr;
    if (kind.isDerivedAttr())
      continue;
    std::string type = typeOf(record, attribute);
    if (kind.isOptional())
      type = "std::optional<" + type + ">";
    fields.push_back({attribute.name, type, defaultOf(kind), !kind.isOptional() && !kind.hasDefaultValue()});
  }
  return fields;
}

/// The fields of a kernel that several ops share. Where their defaults differ the attribute must be stored.
llvm::SmallVector<Field> fieldsOf(llvm::ArrayRef<const llvm::Record *> ops) {
  llvm::SmallVector<Field> fields = fieldsOf(*ops.front());
  for (const llvm::Record *op : ops.drop_front()) {
    llvm::SmallVector<Field> others = fieldsOf(*op);
    bool isSame = llvm::equal(fields, others, [](const Field &a, const Field &b) {
      return a.attribute == b.attribute && a.type == b.type;
    });
    if (!isSame)
      llvm::PrintFatalError(op->getLoc(), "library: the attributes differ from the attributes of " +
                                              ops.front()->getName() + ", which has the same kernel");
    for (auto [field, other] : llvm::zip(fields, others))
      if (field.defaultValue != other.defaultValue) {
        field.isRequired = true;
        field.defaultValue.clear();
      }
  }
  return fields;
}

void emitStruct(llvm::ArrayRef<Field> fields, llvm::StringRef type, llvm::raw_ostream &os) {
  os << "struct " << type << " {\n";
  for (const Field &field : fields) {
    os << "  " << field.type << " " << camel(field.attribute, false);
    if (!field.defaultValue.empty())
      os << " = " << field.defaultValue;
    else if (!llvm::StringRef(field.type).starts_with("std::"))
      os << " = {}";
    os << ";\n";
  }
  os << "};\ninline void readAttributes(AttributeReader &reader, " << type << " &out) {\n";
  for (const Field &field : fields)
    os << "  reader." << (field.isRequired ? "require" : "read") << "(" << quoted(field.attribute) << ", out."
       << camel(field.attribute, false) << ");\n";
  os << "}\n";
}

/// An enum of a dialect as an enum of the runtime, with its keywords.
void emitEnum(const mlir::tblgen::EnumInfo &info, llvm::raw_ostream &os) {
  auto cases = info.getAllCases();
  os << "enum class " << info.getEnumClassName() << " : uint8_t {\n";
  for (const mlir::tblgen::EnumCase &entry : cases)
    os << "  " << entry.getSymbol() << ",\n";
  std::string pair = "std::pair<const char *, " + info.getEnumClassName().str() + ">";
  os << "};\ninline std::span<const " << pair << "> keywordsOf(" << info.getEnumClassName()
     << ") {\n  static constexpr " << pair << " keywords[] = {\n";
  for (const mlir::tblgen::EnumCase &entry : cases)
    os << "    {" << quoted(entry.getStr()) << ", " << info.getEnumClassName() << "::" << entry.getSymbol()
       << "},\n";
  os << "  };\n  return keywords;\n}\n";
}

/// The enum of that C++ type among the records, or null.
const llvm::Record *findEnum(const llvm::RecordKeeper &records, llvm::StringRef cppType) {
  for (const llvm::Record *record : records.getAllDerivedDefinitionsIfDefined("EnumInfo")) {
    mlir::tblgen::EnumInfo info(record);
    if (cppType.trim(": ") == (info.getCppNamespace() + "::" + info.getEnumClassName()).str().substr(2))
      return record;
  }
  return nullptr;
}

/// The attribute class of that C++ type among the records, or null.
const llvm::Record *findAttributeClass(const llvm::RecordKeeper &records, llvm::StringRef cppType) {
  for (const llvm::Record *record : records.getAllDerivedDefinitionsIfDefined("AttrDef")) {
    mlir::tblgen::AttrDef definition(record);
    std::string name =
        (definition.getDialect().getCppNamespace() + "::" + definition.getCppClassName()).str();
    if (cppType.trim(": ") == llvm::StringRef(name).trim(": "))
      return record;
  }
  return nullptr;
}

/// Emits the structs of attribute classes and their enums, each once and after those that it uses.
class AttributeClassEmitter {
public:
  AttributeClassEmitter(const llvm::RecordKeeper &records, llvm::raw_ostream &os)
      : records(records), os(os) {}

  /// The struct, its reader, and the enums of its parameters.
  void emit(const llvm::Record &record) {
    if (!emitted.insert(&record).second)
      return;
    mlir::tblgen::AttrDef definition(&record);
    std::string fields, reads;
    for (const mlir::tblgen::AttrOrTypeParameter &parameter : definition.getParameters()) {
      std::string name = parameter.getName().str(), type = typeOf(record, parameter);
      bool isOptional = llvm::StringRef(type).starts_with("std::optional<");
      fields +=
          "  " + type + " " + name + (llvm::StringRef(type).starts_with("std::") ? "" : " = {}") + ";\n";
      reads += "  reader." + std::string(isOptional ? "read" : "require") + "(" + quoted(name) + ", out." +
               name + ");\n";
    }
    std::string name = structOf(definition);
    os << "/// " << definition.getSummary() << "\nstruct " << name << " {\n"
       << fields << "};\ninline void readAttributes(AttributeReader &reader, " << name << " &out) {\n"
       << reads << "}\n\n";
  }

private:
  std::string typeOf(const llvm::Record &record, const mlir::tblgen::AttrOrTypeParameter &parameter) {
    llvm::StringRef cppType = parameter.getCppType().trim();
    if (cppType.trim(": ") == "mlir::FloatAttr" && parameter.isOptional())
      return "std::optional<double>";
    bool isArray = cppType.consume_front("::llvm::ArrayRef<") && cppType.consume_back(">");
    std::string type = elementTypeOf(cppType);
    if (type.empty())
      llvm::PrintFatalError(record.getLoc(), "library: the runtime has no type for the parameter '" +
                                                 parameter.getName() + "'");
    return isArray ? "std::vector<" + type + ">" : type;
  }

  std::string elementTypeOf(llvm::StringRef cppType) {
    if (const llvm::Record *enumRecord = findEnum(records, cppType)) {
      mlir::tblgen::EnumInfo info(enumRecord);
      if (emitted.insert(enumRecord).second)
        emitEnum(info, os);
      return info.getEnumClassName().str();
    }
    if (const llvm::Record *nested = findAttributeClass(records, cppType)) {
      emit(*nested);
      return structOf(mlir::tblgen::AttrDef(nested));
    }
    return llvm::StringSwitch<std::string>(cppType.trim(": "))
        .Case("int64_t", "int64_t")
        .Case("bool", "bool")
        .Cases({"llvm::StringRef", "mlir::StringAttr", "mlir::FlatSymbolRefAttr"}, "std::string")
        .Default("");
  }

  const llvm::RecordKeeper &records;
  llvm::raw_ostream &os;
  llvm::SmallPtrSet<const llvm::Record *, 8> emitted;
};

//===-- Generated files ---------------------------------------------------------------------------------===//

using Kernels = llvm::MapVector<llvm::StringRef, llvm::SmallVector<const llvm::Record *>>;

/// The op records of the main file with a library kernel, by kernel.
Kernels kernelsOf(const llvm::RecordKeeper &records) {
  Kernels kernels;
  for (const llvm::Record *record : libraryOpsOfMainFile(records))
    kernels[record->getValueAsString("library")].push_back(record);
  return kernels;
}

void emitDeclarations(const llvm::RecordKeeper &records, const Kernels &kernels, llvm::raw_ostream &os) {
  os << "#include \"lib/runtime/plan/AttributeReader.h\"\n\n#include "
        "\"dialects/pd/ir/Enums.kernels.inc\"\n\nnamespace proa::runtime {\n\n";
  AttributeClassEmitter classes(records, os);
  for (const llvm::Record *record : records.getAllDerivedDefinitionsIfDefined("AttrDef"))
    if (isInMainFile(*record))
      classes.emit(*record);
  for (const auto &[kernel, ops] : kernels) {
    Operator op(*ops.front());
    for (const NamedAttribute &attribute : op.getAttributes())
      if (!attribute.attr.isDerivedAttr() && isAttributeClass(attribute.attr))
        classes.emit(attribute.attr.getBaseAttr().getDef());
  }
  for (const auto &[kernel, ops] : kernels) {
    std::string type = camel(kernel, true) + "Attributes";
    os << "/// The attributes of " << Operator(*ops.front()).getOperationName() << ".\n";
    emitStruct(fieldsOf(ops), type, os);
    os << "Result<std::unique_ptr<LibraryKernel>> make" << camel(kernel, true) << "(const " << type
       << " &op, const KernelRequest &request);\n\n";
  }
  os << "} // namespace proa::runtime\n";
}

void emitRows(const Kernels &kernels, llvm::raw_ostream &os) {
  for (const auto &[kernel, ops] : kernels) {
    const llvm::Record &record = *ops.front();
    Operator op(record);
    std::string name = camel(kernel, true);
    os << "{" << quoted(kernel) << ", {&create<" << name << "Attributes, &make" << name << ">,\n {";
    for (int i = 0; i < op.getNumOperands(); ++i)
      emitOperand(record, op.getOperand(i), "operand " + std::to_string(i), os);
    os << "},\n {";
    for (int i = 0; i < op.getNumResults(); ++i)
      emitOperand(record, op.getResult(i), "result " + std::to_string(i), os);
    llvm::StringRef cuda = record.getValueAsString("cudaLibrary");
    for (const llvm::Record *other : ops)
      if (other->getValueAsString("cudaLibrary") != cuda)
        llvm::PrintFatalError(other->getLoc(), "the cudaLibrary differs from " + record.getName() +
                                                   ", which has the same kernel");
    os << "},\n " << quoted(cuda) << "}},\n";
  }
}

bool emitKernels(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  Kernels kernels = kernelsOf(records);
  llvm::StringRef file = llvm::SrcMgr.getMemoryBuffer(llvm::SrcMgr.getMainFileID())->getBufferIdentifier();
  std::string guard = ("PROA_KERNELS_" + llvm::sys::path::parent_path(file).rsplit('/').second + "_" +
                       llvm::sys::path::stem(file))
                          .str();
  os << "#ifdef PROA_KERNEL_TABLE\n";
  emitRows(kernels, os);
  os << "#elif !defined(" << guard << ")\n#define " << guard << "\n";
  emitDeclarations(records, kernels, os);
  os << "#endif\n";
  return false;
}

bool emitEnums(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  os << "#pragma once\n\n#include <cstdint>\n#include <span>\n#include <utility>\n\nnamespace "
        "proa::runtime {\n\n";
  for (const llvm::Record *record : ofMainFile(records, "Pd_Enum"))
    emitEnum(mlir::tblgen::EnumInfo(record), os);
  os << "} // namespace proa::runtime\n";
  return false;
}

mlir::GenRegistration libraryKernelsGenerator("gen-library-kernels",
                                              "Attributes and signatures of the runtime's library kernels",
                                              emitKernels);
mlir::GenRegistration enumGenerator("gen-kernel-enums", "The enums of pd's attributes for the runtime",
                                    emitEnums);

} // namespace
