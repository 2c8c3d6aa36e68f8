/// Lookup in the tables that proa-tblgen makes of the records.
#pragma once

#include "llvm/ADT/StringMap.h"

namespace proa {

/// The entries of a table by their names; `name` is the member that holds the name. The entries must outlive
/// the map. Of several entries with one name the last one counts.
template <class Table, class Entry, class Name>
llvm::StringMap<const Entry *> tableByName(const Table &table, Name Entry::*name) {
  llvm::StringMap<const Entry *> byName;
  for (const Entry &entry : table)
    byName[entry.*name] = &entry;
  return byName;
}

} // namespace proa
