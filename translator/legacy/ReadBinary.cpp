#include "translator/legacy/ReadBinary.h"

#include "lib/base/support/Files.h"
#include "translator/legacy/FormatNames.h"
#include "translator/legacy/Validate.h"
#include "translator/legacy/framework.pb.h"

#include <fmt/format.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <climits>

namespace proa::legacy {
namespace {

template <class List> auto vectorOf(const List &list) {
  return std::vector<typename List::value_type>(list.begin(), list.end());
}

/// The path of a message in the file, as a chain on the stack. Its text is computed only for errors.
struct Location {
  const Location *parent;
  const char *name;
  int index;

  std::string text() const {
    return (parent ? parent->text() + "." : std::string()) + name + "[" + std::to_string(index) + "]";
  }
};

/// Takes the strings out of the message instead of copying them.
class BinaryReader {
public:
  explicit BinaryReader(FileReport &report) : report(report) {}

  Program program(proto::ProgramDesc &from) {
    Program out;
    out.version = from.version().version();
    for (proto::OpVersionMap::OpVersionPair &pair : *from.mutable_op_version_map()->mutable_pair())
      out.opVersions.emplace_back(std::move(*pair.mutable_op_name()), pair.op_version().version());
    out.blocks.reserve(from.blocks_size());
    for (int i = 0; i < from.blocks_size(); ++i)
      out.blocks.push_back(block(Location{nullptr, "blocks", i}, *from.mutable_blocks(i)));
    return out;
  }

private:
  Block block(const Location &at, proto::BlockDesc &from) {
    Block out;
    out.index = from.idx();
    out.parent = from.parent_idx();
    out.forwardBlock = from.forward_block_idx();
    out.variables.reserve(from.vars_size());
    for (int i = 0; i < from.vars_size(); ++i)
      out.variables.push_back(variable(Location{&at, "vars", i}, *from.mutable_vars(i)));
    out.operations.reserve(from.ops_size());
    for (proto::OpDesc &op : *from.mutable_ops())
      out.operations.push_back(operation(op));
    return out;
  }

  Variable variable(const Location &at, proto::VarDesc &from) {
    Variable out;
    out.name = std::move(*from.mutable_name());
    out.persistable = from.persistable();
    out.isParameter = from.is_parameter();
    out.stopGradient = from.stop_gradient();
    out.needCheckFeed = from.need_check_feed();
    const proto::VarType &type = from.type();
    if (std::optional<VariableKind> kind = variableKindFromCode(type.type()))
      out.kind = *kind;
    else
      report.add(
          at.text() + ".type.type",
          fmt::format("found {}, expected a VarType that is not an element type", varTypeName(type.type())));
    describeTensor(type, out);
    return out;
  }

  static void describeTensor(const proto::VarType &type, Variable &out) {
    auto plain = [&](bool present, const proto::VarType::TensorDesc &tensor) {
      if (!present)
        return;
      out.dtype = dtypeFromCode(tensor.data_type());
      out.dims = vectorOf(tensor.dims());
    };
    auto dense = [&](bool present, const proto::VarType::DenseTensorDesc &tensor) {
      plain(present, tensor.tensor());
      if (present)
        out.lodLevel = tensor.legacy_lod_level();
    };
    dense(type.has_dense_tensor(), type.dense_tensor());
    dense(type.has_tensor_array(), type.tensor_array());
    plain(type.has_selected_rows(), type.selected_rows());
    plain(type.has_string(), type.string());
    plain(type.has_strings(), type.strings());
    plain(type.has_vocab(), type.vocab());
    plain(type.has_sparse_coo(), type.sparse_coo());
    plain(type.has_sparse_csr(), type.sparse_csr());
  }

  static Operation operation(proto::OpDesc &from) {
    Operation out;
    out.type = std::move(*from.mutable_type());
    out.isTarget = from.is_target();
    out.inputs = slots(*from.mutable_inputs());
    out.outputs = slots(*from.mutable_outputs());
    std::vector<Attribute> attributes;
    attributes.reserve(from.attrs_size());
    for (proto::OpDesc::Attr &attribute : *from.mutable_attrs())
      attributes.push_back({std::move(*attribute.mutable_name()), value(attribute)});
    out.attributes = Attributes(std::move(attributes));
    return out;
  }

  template <class List> static std::vector<Slot> slots(List &from) {
    std::vector<Slot> out;
    out.reserve(from.size());
    for (auto &slot : from)
      out.push_back({std::move(*slot.mutable_parameter()), strings(*slot.mutable_arguments())});
    return out;
  }

  template <class List> static std::vector<std::string> strings(List &from) {
    return {std::make_move_iterator(from.begin()), std::make_move_iterator(from.end())};
  }

  static AttributeValue value(proto::OpDesc::Attr &from) {
    switch (from.type()) {
    case proto::INT:
      return from.i();
    case proto::FLOAT:
      return from.f();
    case proto::STRING:
      return std::move(*from.mutable_s());
    case proto::INTS:
      return vectorOf(from.ints());
    case proto::FLOATS:
      return vectorOf(from.floats());
    case proto::STRINGS:
      return strings(*from.mutable_strings());
    case proto::BOOLEAN:
      return from.b();
    case proto::BOOLEANS:
      return vectorOf(from.bools());
    case proto::BLOCK:
      return BlockIndex{from.block_idx()};
    case proto::LONG:
      return from.l();
    case proto::BLOCKS:
      return BlockIndices{vectorOf(from.blocks_idx())};
    case proto::LONGS:
      return vectorOf(from.longs());
    case proto::FLOAT64S:
      return vectorOf(from.float64s());
    case proto::VAR:
      return VariableName{std::move(*from.mutable_var_name())};
    case proto::VARS:
      return VariableNames{strings(*from.mutable_vars_name())};
    case proto::FLOAT64:
      return from.float64();
    case proto::SCALAR:
      return scalar(from.scalar());
    case proto::SCALARS: {
      std::vector<Scalar> out;
      for (const proto::Scalar &element : from.scalars())
        out.push_back(scalar(element));
      return out;
    }
    }
    return {}; // protobuf gives no other numbers
  }

  static Scalar scalar(const proto::Scalar &from) {
    switch (from.type()) {
    case proto::Scalar::BOOLEAN:
      return {from.b()};
    case proto::Scalar::LONG:
      return {static_cast<int64_t>(from.i())};
    case proto::Scalar::FLOAT64:
      return {from.r()};
    case proto::Scalar::COMPLEX128:
      return {Complex{from.c().r(), from.c().i()}};
    }
    return {};
  }

  FileReport &report;
};

/// A number that the enumeration does not have counts as absent in proto2, so that it is found here too.
void reportMissing(const google::protobuf::Message &message, FileReport &report) {
  if (message.IsInitialized()) // fast; the list uses slow reflection
    return;
  std::vector<std::string> fields;
  message.FindInitializationErrors(&fields);
  for (const std::string &field : fields)
    report.add(field, "the field is missing, or its value is unknown");
}

/// Attributes whose value must be given: there is no default block or variable.
void reportMissingValues(const proto::ProgramDesc &program, FileReport &report) {
  for (int b = 0; b < program.blocks_size(); ++b)
    for (int o = 0; o < program.blocks(b).ops_size(); ++o) {
      const proto::OpDesc &op = program.blocks(b).ops(o);
      for (int a = 0; a < op.attrs_size(); ++a) {
        const proto::OpDesc::Attr &attribute = op.attrs(a);
        bool missing = (attribute.type() == proto::BLOCK && !attribute.has_block_idx()) ||
                       (attribute.type() == proto::VAR && !attribute.has_var_name()) ||
                       (attribute.type() == proto::SCALAR && !attribute.has_scalar());
        if (missing)
          report.add(fmt::format("blocks[{}].ops[{}].attrs[{}]", b, o, a),
                     fmt::format("attribute '{}' of type {} has no value", attribute.name(),
                                 attributeTypeName(attribute.type())));
      }
    }
}

} // namespace

Result<Program> readBinaryBytes(std::span<const std::byte> bytes, const std::string &name) {
  if (bytes.empty())
    return errorAt(name, "the file is empty, expected a ProgramDesc");
  if (bytes.size() > INT_MAX)
    return errorAt(
        name, fmt::format("found {} bytes, expected less than 2 GiB: a protobuf message cannot be larger",
                          bytes.size()));
  google::protobuf::Arena arena;
  auto &message = *google::protobuf::Arena::CreateMessage<proto::ProgramDesc>(&arena);
  if (!message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return errorAt(
        name,
        fmt::format("{} bytes that are no ProgramDesc: the protobuf message is cut off or damaged, after "
                    "{} blocks with {} ops in the last",
                    bytes.size(), message.blocks_size(),
                    message.blocks_size() ? message.blocks(message.blocks_size() - 1).ops_size() : 0));
  FileReport report(name);
  reportMissing(message, report);
  reportMissingValues(message, report);
  if (!report.empty())
    return report.take();
  Program program = BinaryReader(report).program(message);
  if (report.empty())
    validate(program, report);
  if (!report.empty())
    return report.take();
  return program;
}

Result<Program> readBinary(const std::string &path) {
  auto file = mapFile(path);
  if (!file)
    return file.diagnostics();
  return readBinaryBytes((*file)->bytes(), path);
}

} // namespace proa::legacy
