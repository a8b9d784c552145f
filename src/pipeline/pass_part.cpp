#include "pipeline/pass_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/file/fail.h"
#include "pass/row_store.h"

namespace atcav {
namespace {

constexpr Index kBlockBytes = Index{16} << 20;

std::string name_of(const PartOfPass& part, Index set, const char* what) {
  return fmt::format("{}/{}/{}", part.name, set, what);
}

// The rows to score that lie in a range, counted among all rows to score.
RowRange scored_in(const pass::HeldOut& held_out, const RowRange& range) {
  const auto begin = std::ranges::lower_bound(held_out.rows, range.first);
  const auto end = std::ranges::lower_bound(held_out.rows, range.first + range.rows);
  return {begin - held_out.rows.begin(), end - begin};
}

Index first_feature(const pass::Pass& pass, Index set) {
  Index first = 0;
  for (Index s = 0; s < set; ++s) first += pass.sets[s].projections.columns();
  return first;
}

// What was rounded off is nearly always nothing: only the rest travels.
void keep_sums(const pass::CarriedSums& sums, const PartOfPass& part, Index set, ShareContent& content) {
  content.keep_view(name_of(part, set, "sums"), sums.values);
  std::vector<std::int64_t> places;
  for (Index i = 0; i < sums.carried.size(); ++i) {
    if (sums.carried.data()[i] != 0) places.push_back(i);
  }
  if (places.empty()) return;
  Matrix rest(std::ssize(places), 1);
  for (std::size_t i = 0; i < places.size(); ++i)
    rest(static_cast<Index>(i), 0) = sums.carried.data()[places[i]];
  content.keep(name_of(part, set, "carried"), std::move(rest));
  content.keep(name_of(part, set, "carried_at"), std::move(places));
}

void add_sums(pass::CarriedSums& all, const PartOfPass& part, Index set, const ShareFile& file) {
  pass::CarriedSums theirs(file.doubles(name_of(part, set, "sums"), all.rows(), all.columns()));
  if (file.has(name_of(part, set, "carried_at"))) {
    const auto places = file.integers(name_of(part, set, "carried_at"));
    const Matrix rest = file.doubles(name_of(part, set, "carried"), std::ssize(places), 1);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i] < 0 || places[i] >= theirs.carried.size())
        data::fail_file("merge", file.path, "holds a sum that the pass does not have");
      theirs.carried.data()[places[i]] = rest(static_cast<Index>(i), 0);
    }
  }
  all.add(theirs);
}

data::TensorView rows_view(const pass::RowStore& store, const RowRange& range, Index columns) {
  const auto all = store.block();
  return {std::span(all.data + range.first * columns, static_cast<std::size_t>(range.rows * columns)),
          {range.rows, columns}};
}

data::TensorView feature_rows(const pass::Pass& pass, Index set, const RowRange& range) {
  const float* first = pass.features->row(first_feature(pass, set) + range.first).data();
  return {std::span(first, static_cast<std::size_t>(range.rows * pass.dimension)),
          {range.rows, pass.dimension}};
}

// A few rows of the file at a time.
template <typename Use>
void each_block(const data::Array& rows, Use use) {
  const Index most = std::max<Index>(1, kBlockBytes / (rows.columns() * static_cast<Index>(sizeof(float))));
  for (Index first = 0; first < rows.rows(); first += most) {
    MatrixF block(std::min(most, rows.rows() - first), rows.columns());
    rows.read_rows(first, block);
    use(first, block);
  }
}

void add_rows(pass::Pass& pass, Index set, const data::Array& array, Index place) {
  const std::vector<Index>& scored = pass.sets[set].held_out.rows;
  each_block(array, [&](Index first, const MatrixF& rows) {
    const RowRange here{place + first, rows.rows()};
    if (pass.features)
      pass.features->middleRows(first_feature(pass, set) + here.first, here.rows) = rows;
    else
      pass.backend->host_stores(set).all->write(here.first, rows);
    const RowRange of_scored = scored_in(pass.sets[set].held_out, here);
    for (Index i = of_scored.first; i < of_scored.first + of_scored.rows; ++i)
      pass.backend->host_stores(set).scored->write(i, rows.middleRows(scored[i] - here.first, 1));
  });
}

void add_scored_rows(pass::Pass& pass, const PartOfPass& part, Index set, const ShareFile& file) {
  const RowRange scored = scored_in(pass.sets[set].held_out, own_rows(part.options.units, set, part.part));
  if (scored.rows == 0) return;
  each_block(file.array(name_of(part, set, "scored"), scored.rows, pass.dimension),
             [&](Index first, const MatrixF& rows) {
               pass.backend->host_stores(set).scored->write(scored.first + first, rows);
             });
}

}  // namespace

void keep_part(const pass::Pass& pass, const PartOfPass& part, ShareContent& content) {
  for (Index s = 0; s < std::ssize(pass.sets); ++s) {
    const pass::SetPass& set = pass.sets[s];
    const RowRange own = own_rows(part.options.units, s, part.part);
    if (own.rows == 0) continue;
    content.keep(name_of(part, s, "projections"),
                 Matrix(set.projections.values.middleCols(own.first, own.rows)));
    content.keep(name_of(part, s, "squares"), Matrix(set.squares.segment(own.first, own.rows)));
    if (set.sketch.rows() > 0)
      content.keep(name_of(part, s, "sketch"), MatrixF(set.sketch.middleRows(own.first, own.rows)));
    keep_sums(set.held_out.group_sums, part, s, content);
    if (part.options.pass.gram)
      content.keep_view(name_of(part, s, "rows"),
                        pass.features ? feature_rows(pass, s, own)
                                      : rows_view(*pass.backend->host_stores(s).all, own, pass.dimension));
    else if (const RowRange scored = scored_in(set.held_out, own); scored.rows > 0)
      content.keep_view(name_of(part, s, "scored"),
                        rows_view(*pass.backend->host_stores(s).scored, scored, pass.dimension));
  }
}

void add_part(pass::Pass& pass, const PartOfPass& part, const ShareFile& file) {
  for (Index s = 0; s < std::ssize(pass.sets); ++s) {
    pass::SetPass& set = pass.sets[s];
    const RowRange own = own_rows(part.options.units, s, part.part);
    if (own.rows == 0) continue;
    const Index m = set.projections.inputs();
    set.projections.values.middleCols(own.first, own.rows) =
        file.doubles(name_of(part, s, "projections"), m, own.rows);
    set.squares.segment(own.first, own.rows) = file.doubles(name_of(part, s, "squares"), own.rows, 1);
    if (set.sketch.rows() > 0)
      set.sketch.middleRows(own.first, own.rows) =
          file.floats(name_of(part, s, "sketch"), own.rows, set.sketch.cols());
    add_sums(set.held_out.group_sums, part, s, file);
    if (part.options.pass.gram)
      add_rows(pass, s, file.array(name_of(part, s, "rows"), own.rows, pass.dimension), own.first);
    else
      add_scored_rows(pass, part, s, file);
  }
}

void finish_parts(pass::Pass& pass, const pass::PassOptions& options) {
  for (pass::SetPass& set : pass.sets)
    set.held_out.group_sums = pass::CarriedSums(set.held_out.group_sums.total());
  reduce_to_moments(pass, options);
  if (options.gram && !pass.features) pass.gram = pass.backend->gram();
}

}  // namespace atcav
