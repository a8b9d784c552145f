#include "pipeline/candidates.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "core/check.h"
#include "stats/kmeans.h"
#include "stats/nonnegative_factors.h"

namespace atcav {
namespace {

constexpr double kShareOfRandom = 0.05;  // of random rows that show a given direction

double cosine_of(const Eigen::RowVectorXd& a, const Eigen::RowVectorXd& b) {
  const double lengths = a.norm() * b.norm();
  return lengths > 0 ? a.dot(b) / lengths : 0;
}

// Of each atom the earlier one that it goes into: itself, or the first with a cosine above `most`.
std::vector<Index> merged_into(const Matrix& atoms, double most) {
  std::vector<Index> into(static_cast<std::size_t>(atoms.rows()));
  for (Index k = 0; k < atoms.rows(); ++k) {
    into[k] = k;
    for (Index l = 0; l < k; ++l) {
      if (into[l] != l || cosine_of(atoms.row(k), atoms.row(l)) <= most) continue;
      into[k] = l;
      break;
    }
  }
  return into;
}

// What is left of the finder's candidates: `members` speaks of all of them.
FoundCandidates with_merged(const Matrix& atoms, double most,
                            const std::function<Members(const MatrixFRef&)>& members) {
  const std::vector<Index> into = merged_into(atoms, most);
  FoundCandidates found;
  std::vector<Index> kept;
  std::vector<Index> place(into.size());
  for (Index k = 0; k < std::ssize(into); ++k) {
    if (into[k] == k) {
      place[k] = std::ssize(kept);
      kept.push_back(k);
      found.merged.emplace_back();
    } else {
      place[k] = place[into[k]];
      found.merged[place[k]].push_back(k);
    }
  }
  found.atoms = atoms(kept, Eigen::all);
  found.numbers = kept;
  found.members = [members, place, count = kept.size()](const MatrixFRef& rows) {
    const Members all = members(rows);
    Members joined(count);
    for (std::size_t k = 0; k < all.size(); ++k) {
      std::vector<Index>& own = joined[place[k]];
      own.insert(own.end(), all[k].begin(), all[k].end());
    }
    for (std::vector<Index>& own : joined) {
      std::ranges::sort(own);
      own.erase(std::unique(own.begin(), own.end()), own.end());
    }
    return joined;
  };
  return found;
}

// Parts that differ little may be shown by rows that differ much: what is merged is what rows show.
FoundCandidates merged_by_rows(const MatrixFRef& rows, const Vector& random_mean, double most,
                               const std::function<Members(const MatrixFRef&)>& members) {
  const Members own = members(rows);
  Matrix atoms = Matrix::Zero(std::ssize(own), rows.cols());
  for (Index k = 0; k < atoms.rows(); ++k) {
    for (const Index row : own[k]) atoms.row(k) += rows.row(row).cast<double>();
    if (!own[k].empty())
      atoms.row(k) = atoms.row(k) / static_cast<double>(own[k].size()) - random_mean.transpose();
  }
  return with_merged(atoms, most, members);
}

// Of each part the rows that have most of it; -1: none.
Members rows_of_each(const std::vector<Index>& strongest, Index parts) {
  Members shown(static_cast<std::size_t>(parts));
  for (Index row = 0; row < std::ssize(strongest); ++row)
    if (strongest[row] >= 0) shown[strongest[row]].push_back(row);
  return shown;
}

// A row shows the part that it has most of.
FoundCandidates found_factors(const MatrixFRef& rows, const Vector& random_mean, const FindOptions& options) {
  const stats::NonnegativeFactors found = stats::nonnegative_factors(
      rows,
      {.factors = options.candidates, .seed = options.seed, .key = options.key, .threads = options.threads});
  return merged_by_rows(rows, random_mean, options.merge, [factors = found.factors](const MatrixFRef& some) {
    const Matrix weights = stats::nonnegative_weights(some, factors);
    std::vector<Index> strongest(static_cast<std::size_t>(weights.rows()));
    for (Index row = 0; row < weights.rows(); ++row) {
      Index most = 0;
      strongest[row] = weights.row(row).maxCoeff(&most) > 0 ? most : -1;
    }
    return rows_of_each(strongest, factors.rows());
  });
}

FoundCandidates found_features(const MatrixFRef& rows, const Vector& random_mean,
                               const FindOptions& options) {
  const stats::SparseAutoencoder found = stats::train_autoencoder(
      rows,
      {.features = options.candidates, .seed = options.seed, .key = options.key, .threads = options.threads},
      options.trainer);
  return merged_by_rows(
      rows, random_mean, options.merge, [found, threads = options.threads](const MatrixFRef& some) {
        return rows_of_each(stats::strongest_features(some, found, threads), found.decoder.rows());
      });
}

}  // namespace

FoundCandidates find_candidates(const MatrixFRef& rows, const Vector& random_mean,
                                const FindOptions& options) {
  if (options.finder == Finder::kNmf) return found_factors(rows, random_mean, options);
  if (options.finder == Finder::kSae) return found_features(rows, random_mean, options);
  const stats::KMeans found = stats::kmeans(
      rows,
      {.clusters = options.candidates, .seed = options.seed, .key = options.key, .threads = options.threads});
  const Matrix atoms = found.centres.rowwise() - random_mean.transpose();
  return with_merged(atoms, options.merge, [centres = found.centres](const MatrixFRef& some) {
    return rows_of_each(stats::nearest_centres(some, centres), centres.rows());
  });
}

FoundCandidates given_candidates(const Matrix& directions, const MatrixFRef& random_rows,
                                 const Vector& random_mean, double merge) {
  check_same("discover", "columns", "the dictionary", directions.cols(), "the layer (channels)",
             random_rows.cols());
  const MatrixF ways = directions.cast<float>();
  const Eigen::RowVectorXf centre = random_mean.transpose().cast<float>();
  Eigen::VectorXf limits(ways.rows());
  const auto place =
      static_cast<std::ptrdiff_t>((1 - kShareOfRandom) * static_cast<double>(random_rows.rows()));
  for (Index k = 0; k < ways.rows(); ++k) {
    Eigen::VectorXf along = (random_rows.rowwise() - centre) * ways.row(k).transpose();
    const auto limit = along.begin() + std::min<std::ptrdiff_t>(place, along.size() - 1);
    std::nth_element(along.begin(), limit, along.end());
    limits(k) = *limit;
  }
  return with_merged(directions, merge, [ways, centre, limits](const MatrixFRef& some) {
    Members members(static_cast<std::size_t>(ways.rows()));
    for (Index row = 0; row < some.rows(); ++row) {
      const Eigen::VectorXf along = ways * (some.row(row) - centre).transpose();
      for (Index k = 0; k < along.size(); ++k)
        if (along(k) > limits(k)) members[k].push_back(row);
    }
    return members;
  });
}

MatrixF means_by_group(const LayerPositions& positions, const std::vector<Index>& members,
                       const Groups& groups) {
  const std::vector<Index> input_of = positions.input_of_row();
  struct Sum {
    Vector values;
    double count = 0;
    void add(const Vector& more) {
      if (count == 0) values = Vector::Zero(more.size());
      values += more;
      ++count;
    }
  };
  std::map<Index, Sum> of_inputs;
  for (const Index row : members)
    of_inputs[input_of[row]].add(positions.rows.row(row).transpose().cast<double>());
  std::map<Index, Sum> of_groups;
  for (const auto& [input, sum] : of_inputs)
    of_groups[groups.empty() ? input : groups.of_row[input]].add(sum.values / sum.count);
  MatrixF means(std::ssize(of_groups), positions.rows.cols());
  Index at = 0;
  for (const auto& [group, sum] : of_groups)
    means.row(at++) = (sum.values / sum.count).transpose().cast<float>();
  return means;
}

Index inputs_with(const LayerPositions& positions, const std::vector<Index>& members) {
  const std::vector<Index> input_of = positions.input_of_row();
  Index count = 0;
  Index last = -1;
  for (const Index row : members) {  // in order
    if (input_of[row] != last) ++count;
    last = input_of[row];
  }
  return count;
}

std::vector<ShownPatch> strongest_patches(const LayerPositions& positions, const std::vector<Index>& members,
                                          const Vector& direction, const Vector& random_mean) {
  const std::vector<Index> input_of = positions.input_of_row();
  const double square = direction.squaredNorm();
  const auto along = [&](Index row) {
    const Vector away = positions.rows.row(row).transpose().cast<double>() - random_mean;
    return square > 0 ? away.dot(direction) / square : 0;
  };
  std::vector<ShownPatch> patches;
  for (const Index row : members) {
    const double strength = along(row);
    if (patches.empty() || patches.back().input != input_of[row])
      patches.push_back({input_of[row], "", positions.positions[row], strength, {}});
    else if (strength > patches.back().strength)
      patches.back() = {input_of[row], "", positions.positions[row], strength, {}};
  }
  std::ranges::stable_sort(patches, std::ranges::greater(), &ShownPatch::strength);
  patches.resize(std::min<std::size_t>(patches.size(), static_cast<std::size_t>(kPatchesShown)));
  for (ShownPatch& patch : patches) {
    const Index first = positions.begins[patch.input];
    const Index count = positions.begins[patch.input + 1] - first;
    if (count != positions.of_input || count == 1) continue;
    for (Index row = first; row < first + count; ++row) patch.cells.push_back(along(row));
  }
  return patches;
}

}  // namespace atcav
