// The operations on learned positions: their parameters, tensors and shapes (spec/learned.md).
#include "gnomon/spec/learned.h"

#include "gnomon/spec/learned_resize.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::learned {
namespace {

// LEARNED-1, LEARNED-2.
void RequireRow(const std::string& role, int64_t position, int64_t offset, int64_t rows) {
  const int64_t row = position + offset;
  if (row >= 0 && row < rows) return;
  throw Rejected(
      role, "position " + std::to_string(position),
      "reads row " + std::to_string(row) + " of a table of " + std::to_string(rows) + " rows",
      offset == 0 ? "LEARNED-1" : "LEARNED-2");
}

// LEARNED-4: [batch, token] or [token].
Shape ValidateMask(const Case& c, const LookupParameters& p, int64_t rows) {
  const Shape shape = ValidatePositions(c, "mask", 2);
  const Tensor& mask = c.inputs.at("mask");
  int64_t counted = 0;
  for (int64_t i = 0; i < mask.count(); ++i) {
    if (i % shape.back() == 0) counted = 0;
    const int64_t counts = mask.Integer(i);
    if (counts != 0 && counts != 1)
      throw Rejected("mask", std::to_string(counts), "must hold 0 and 1", "LEARNED-4");
    RequireRow("mask", counts ? counted : p.padding_position, p.offset, rows);
    counted += counts;
  }
  return shape;
}

// The shape of positions or mask, whichever there is.
Shape ValidateTokens(const Case& c) {
  const LookupParameters p = ReadLookup(c);
  const Tensor& table = c.inputs.at("table");
  if (table.shape().size() != 2)
    throw Rejected("table", "rank " + std::to_string(table.shape().size()), "must be [row, width]",
                   "LEARNED-1");
  RequireCaseFormat(c, "table");
  const bool positions = c.inputs.count("positions") > 0, mask = c.inputs.count("mask") > 0;
  if (positions == mask)
    throw Rejected("positions", positions ? "(given)" : "(missing)",
                   positions ? "excludes mask: give one of the two" : "or mask must be given",
                   "LEARNED-4");
  const int64_t rows = table.shape()[0];
  if (mask) return ValidateMask(c, p, rows);
  const Shape shape = ValidatePositions(c, "positions", 2);
  const Tensor& tokens = c.inputs.at("positions");
  for (int64_t i = 0; i < tokens.count(); ++i)
    RequireRow("positions", tokens.Integer(i), p.offset, rows);
  return shape;
}

std::vector<OutputShape> ValidateLookup(const Case& c) {
  Shape shape = ValidateTokens(c);
  shape.push_back(c.inputs.at("table").shape()[1]);
  return {{"rows", shape}};
}

std::vector<OutputShape> ValidateAdd(const Case& c) {
  Shape shape = ValidateTokens(c);
  const Tensor& x = c.inputs.at("x");
  shape.push_back(c.inputs.at("table").shape()[1]);
  if (shape.size() == 2 && x.shape().size() == 3) shape.insert(shape.begin(), x.shape()[0]);
  if (x.shape().size() != 3 || x.shape() != shape) {
    std::string text;
    for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
    throw Rejected("x", "rank " + std::to_string(x.shape().size()),
                   "must be [batch, token, width], here [" + text + "]", "LEARNED-3");
  }
  RequireCaseFormat(c, "x");
  return {{"y", x.shape()}};
}

// AXES-7.
std::vector<OutputShape> ValidateLookup2d(const Case& c) {
  ParameterReader(c.parameters, "AXES-7").RejectOthers();
  const Shape &table = c.inputs.at("table").shape(), &places = c.inputs.at("positions").shape();
  if (table.size() != 3)
    throw Rejected("table", "rank " + std::to_string(table.size()), "must be [row, column, width]",
                   "AXES-7");
  RequireCaseFormat(c, "table");
  if (places.size() != 2)
    throw Rejected("positions", "rank " + std::to_string(places.size()), "must be [axis, token]",
                   "AXES-7");
  RequireExtent("positions", "axis", places[0], 2, "AXES-7");
  const Tensor& positions = c.inputs.at("positions");
  for (int64_t i = 0; i < positions.count(); ++i) {
    const int64_t position = positions.Integer(i);
    const bool row = i < places[1];
    const int64_t extent = table[row ? 0 : 1];
    if (position >= 0 && position < extent) continue;
    std::string why("is none of the table's ");
    why += std::to_string(extent) + (row ? " rows" : " columns");
    throw Rejected("positions", std::to_string(position), why, "AXES-7");
  }
  return {{"rows", {places[1], table[2]}}};
}

// LEARNED-8 to LEARNED-10.
std::vector<OutputShape> ValidateResize(const Case& c) {
  const Shape& table = c.inputs.at("table").shape();
  if (table.size() != 3)
    throw Rejected("table", "rank " + std::to_string(table.size()), "must be [row, column, width]",
                   "LEARNED-8");
  RequireCaseFormat(c, "table");
  const ResizeParameters p = ReadResize(c);
  for (const ResizedAxis& axis : {p.rows, p.columns})
    if (axis.from < 1 || axis.from > kMaxResized)
      throw Rejected("table", "extent " + std::to_string(axis.from),
                     "must have 1 to 2^20 rows and columns", "LEARNED-8");
  return {{"resized", {p.rows.to, p.columns.to, p.width}}};
}

}  // namespace

const std::vector<OperationSpec>& Operations() {
  static const std::vector<ParameterSpec> parameters = {
      {"offset", "0", "[-2^31, 2^31)", "position t reads row t + offset"},
      {"padding_position", "-1", "[-2^31, 2^31)", "of tokens that a mask leaves out"}};
  static const TensorSpec table = {"table", {"row", "width"}, "a row for each position"};
  static const TensorSpec positions = {
      "positions", {"batch", "token"}, "tokens, from 0", true, true};
  static const TensorSpec mask = {"mask", {"batch", "token"}, "1: counts, 0: padding", true, true};
  static const std::vector<OperationSpec> operations = {
      {"learned.lookup",
       "rows of a table of positions",
       parameters,
       {table, positions, mask},
       {{"rows", {"batch", "token", "width"}, "rows of the table"}},
       ErrorUnit::kUlp,
       ValidateLookup,
       "",
       {"batch"}},
      {"learned.add",
       "token embeddings plus rows of a table of positions",
       parameters,
       {{"x", {"batch", "token", "width"}, "token embeddings"}, table, positions, mask},
       {{"y", {"batch", "token", "width"}, "x + row"}},
       ErrorUnit::kRoundoffOfSum,
       ValidateAdd,
       "x",
       {"batch"}},
      {"learned.lookup_2d",
       "rows of a table of positions on two axes",
       {},
       {{"table", {"row", "column", "width"}, "a row for each place"},
        {"positions", {"axis", "token"}, "row and column of each token", false, true}},
       {{"rows", {"token", "width"}, "rows of the table"}},
       ErrorUnit::kUlp,
       ValidateLookup2d,
       "",
       {"token"}},
      {"learned.resize",
       "a table of positions for another number of positions",
       {{"columns", "required", "1 to 2^20", "columns of the result"},
        {"rows", "those of the table", "1 to 2^20", "rows of the result"},
        {"filter", "required", "bilinear, bicubic", "how values between positions are made"},
        {"coordinates", "half_pixel", "half_pixel, align_corners", "where the results stand"},
        {"antialias", "false", "true, false", "whether the filter is stretched"},
        {"cubic_a", "required of bicubic", "from -1 to 0", "coefficient of the cubic filter"}},
       {{"table", {"row", "column", "width"}, "a grid; a list has one row"}},
       {{"resized", {"row", "column", "width"}, "the same for other positions"}},
       ErrorUnit::kRoundoffOfSum,
       ValidateResize}};
  return operations;
}

}  // namespace gnomon::learned
