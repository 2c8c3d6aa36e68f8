/// Lookup in tables that proa-tblgen generates from records.
#pragma once

#include "llvm/ADT/StringMap.h"

namespace proa {

/// The entries of a table by name; `name` is the member with the name. The entries must outlive the map. Of
/// entries with the same name the last one is used.
template <class Table, class Entry, class Name>
llvm::StringMap<const Entry *> tableByName(const Table &table, Name Entry::*name) {
  llvm::StringMap<const Entry *> byName;
  for (const Entry &entry : table)
    byName[entry.*name] = &entry;
  return byName;
}

} // namespace proa
