// The assembly formats that follow from the arguments of ops.
#ifndef PROA_DIALECTS_PD_FORMAT
#define PROA_DIALECTS_PD_FORMAT

include "mlir/IR/OpBase.td"
include "dialects/pd/ir/Enums.td"

// The parts of an assembly format that follow from an op's arguments.
//   operandText  Operands in order. Several optional or variadic operands follow the others by name, without the suffix
//                "_tensor": `%x, %y scale = %s`. After a variadic first operand all others are named.
//   enumText     Enum attributes as keywords: `data_format = NHWC`. A default value is not printed.
class Pd_Format<dag arguments> {
  list<int> indices = !range(!size(arguments));
  list<int> operands = !filter(i, indices, !initialized(!getdagarg<TypeConstraint>(arguments, i)));
  list<int> variable = !filter(i, operands, !or(!initialized(!getdagarg<Optional>(arguments, i)),
                                                !initialized(!getdagarg<Variadic>(arguments, i))));
  list<int> first = !filter(i, variable, !and(!eq(i, 0), !initialized(!getdagarg<Variadic>(arguments, i))));
  list<int> unnamed = !if(!empty(first), !listremove(operands, variable), first);
  list<int> named = !listremove(operands, unnamed);
  string unnamedText = !interleave(!foreach(i, unnamed, "$" # !getdagname(arguments, i)), " `,` ");
  string namedText = !interleave(!foreach(i, named, !if(!or(!initialized(!getdagarg<Optional>(arguments, i)),
                                                              !initialized(!getdagarg<Variadic>(arguments, i))),
    " (`" # !subst("_tensor", "", !getdagname(arguments, i)) # "` `=` $" # !getdagname(arguments, i) # "^)?",
    " `" # !getdagname(arguments, i) # "` `=` $" # !getdagname(arguments, i))), "");
  string operandText = !if(!gt(!size(variable), 1), unnamedText # namedText, "operands");
  // The printer of an enum attribute begins with a blank.
  string enumText = !interleave(!foreach(i, indices, !cond(
    !initialized(!getdagarg<Pd_DefaultEnum>(arguments, i)):
      " (`" # !getdagname(arguments, i) # "` `=` `` $" # !getdagname(arguments, i) # "^)?",
    !initialized(!getdagarg<Pd_EnumAttr>(arguments, i)):
      " `" # !getdagname(arguments, i) # "` `=` `` $" # !getdagname(arguments, i),
    true: "")), "");
}

#endif
