#pragma once

#include <string>

#include "atcav/groups.h"
#include "data/file/reader.h"

namespace atcav::data {

// A table of labels as CSV (RFC 4180) in UTF-8, with or without a byte order mark; cells apart by commas,
// semicolons or tabs, whichever comes first in the header. The first column names the file, or where its
// header is `row` or empty the number of the row, from 0; the others are labels:
//
//   file,striped,red,age
//   zebra01.jpg,1,0,3.5
//   "tiger, old.jpg",true,1,
//
// Cells are numbers, true, false or empty. The column `group_column`, if one is named, holds text instead and
// is no label. std::runtime_error "[read_labels] labels.csv: line 3: …" for anything else, rows that come
// twice included.
LabelTable read_labels(const ReaderPtr& reader, const std::string& group_column = "");

}  // namespace atcav::data
