#include <algorithm>
#include <cmath>

#include "plugins/torch/exec/table.h"
#include "plugins/torch/exec/window.h"

// Boxes and regions, and other ops that gather by position: what detectors and samplers add.
namespace atcav::plugin {
namespace {

struct Box {
  float low_y, low_x, high_y, high_x;
  float area() const { return std::max(0.0F, high_y - low_y) * std::max(0.0F, high_x - low_x); }
};

Box read_box(const float* numbers, bool by_centre) {
  if (by_centre) {
    return {numbers[1] - numbers[3] / 2, numbers[0] - numbers[2] / 2, numbers[1] + numbers[3] / 2,
            numbers[0] + numbers[2] / 2};
  }
  return {std::min(numbers[0], numbers[2]), std::min(numbers[1], numbers[3]),
          std::max(numbers[0], numbers[2]), std::max(numbers[1], numbers[3])};
}

float overlap(const Box& a, const Box& b) {
  const Box both{std::max(a.low_y, b.low_y), std::max(a.low_x, b.low_x), std::min(a.high_y, b.high_y),
                 std::min(a.high_x, b.high_x)};
  const float joined = a.area() + b.area() - both.area();
  return joined > 0 ? both.area() / joined : 0;
}

// Rows of (example, class, box), the best score of each class first, none overlapping a better one too much.
Tensors non_max_suppression(const Call& call) {
  const at::Tensor boxes = call.in(0).detach().to(at::kCPU, at::kFloat).contiguous();
  const at::Tensor scores = call.in(1).detach().to(at::kCPU, at::kFloat).contiguous();
  if (boxes.dim() != 3 || boxes.size(2) != 4 || scores.dim() != 3 || scores.size(2) != boxes.size(1))
    call.fail("boxes must be N × boxes × 4 and scores N × classes × boxes");
  const auto most = call.has(2) ? call.integer_in(2) : 0;
  const auto threshold = call.has(3) ? static_cast<float>(call.number_in(3)) : 0.0F;
  const bool by_centre = call.flag("center_point_box");
  const auto count = boxes.size(1);
  std::vector<std::int64_t> rows;
  for (std::int64_t n = 0; n < boxes.size(0); ++n) {
    for (std::int64_t c = 0; c < scores.size(1); ++c) {
      const float* score = scores.data_ptr<float>() + (n * scores.size(1) + c) * count;
      const auto box = [&](std::int64_t i) {
        return read_box(boxes.data_ptr<float>() + (n * count + i) * 4, by_centre);
      };
      Sizes order = first_axes(count);
      std::ranges::stable_sort(order, [&](auto a, auto b) { return score[a] > score[b]; });
      std::vector<std::int64_t> kept;
      for (const auto i : order) {
        if (static_cast<std::int64_t>(kept.size()) >= most) break;
        if (call.has(4) && score[i] <= static_cast<float>(call.number_in(4))) continue;
        const auto covers = [&](std::int64_t other) { return overlap(box(i), box(other)) > threshold; };
        if (std::ranges::any_of(kept, covers)) continue;
        kept.push_back(i);
        rows.insert(rows.end(), {n, c, i});
      }
    }
  }
  return {at::tensor(rows, at::kLong).reshape({-1, 3})};
}

// Where samples lie along one side of a region, between which pixels, and how near to the second.
struct Samples {
  at::Tensor below, above, weight, inside;
};

Samples samples(double start, double bin, std::int64_t bins, std::int64_t per_bin, std::int64_t size,
                const at::TensorOptions& options) {
  const at::Tensor at_bin = at::arange(bins, options).reshape({-1, 1});
  const at::Tensor part = (at::arange(per_bin, options) + 0.5) / static_cast<double>(per_bin);
  const at::Tensor place = (start + (at_bin + part) * bin).flatten();
  const at::Tensor kept = place.clamp(0, static_cast<double>(size - 1));
  const at::Tensor below = kept.floor();
  return {below.to(at::kLong), (below + 1).clamp_max(static_cast<double>(size - 1)).to(at::kLong),
          kept - below, at::logical_and(place >= -1, place <= static_cast<double>(size)).to(options.dtype())};
}

Tensors roi_align(const Call& call) {
  const at::Tensor& x = call.in(0);
  const at::Tensor rois = call.in(1).detach().to(at::kCPU, at::kDouble).contiguous();
  const Sizes owners = call.integers_in(2);
  const auto height = call.integer("output_height", 1);
  const auto width = call.integer("output_width", 1);
  const auto ratio = call.integer("sampling_ratio", 0);
  const double scale = call.real("spatial_scale", 1);
  const std::string pixels =
      call.opset() < 16 ? "output_half_pixel"
                        : call.choice("coordinate_transformation_mode", {"half_pixel", "output_half_pixel"});
  const bool half_pixel = pixels == "half_pixel";
  const bool by_max = call.choice("mode", {"avg", "max"}) == "max";
  if (x.dim() != 4 || rois.dim() != 2 || rois.size(1) != 4 ||
      static_cast<std::int64_t>(owners.size()) != rois.size(0))
    call.fail("regions must be R × 4 with a batch index each");
  check_size(call, {rois.size(0), x.size(1), height, width});
  Tensors regions;
  for (std::int64_t r = 0; r < rois.size(0); ++r) {
    const double* corner = rois.data_ptr<double>() + 4 * r;
    const double shift = half_pixel ? 0.5 : 0;
    const double left = corner[0] * scale - shift;
    const double top = corner[1] * scale - shift;
    double across = corner[2] * scale - shift - left;
    double down = corner[3] * scale - shift - top;
    if (!half_pixel) {
      across = std::max(across, 1.0);
      down = std::max(down, 1.0);
    }
    const double bin_y = down / static_cast<double>(height);
    const double bin_x = across / static_cast<double>(width);
    const auto per = [&](double bin) {
      return std::max<std::int64_t>(1, ratio > 0 ? ratio : static_cast<std::int64_t>(std::ceil(bin)));
    };
    const auto rows = per(bin_y);
    const auto columns = per(bin_x);
    check_size(call, {x.size(1), height * rows, width * columns});
    const Samples y = samples(top, bin_y, height, rows, x.size(2), x.options());
    const Samples z = samples(left, bin_x, width, columns, x.size(3), x.options());
    const at::Tensor image = x[owners[r]];
    const auto pixel = [&](const at::Tensor& i, const at::Tensor& j) {
      return image.index_select(1, i).index_select(2, j);
    };
    const at::Tensor wy = y.weight.reshape({-1, 1});
    const at::Tensor there = y.inside.reshape({-1, 1}) * z.inside;
    const Tensors corners = {pixel(y.below, z.below) * (1 - wy) * (1 - z.weight) * there,
                             pixel(y.below, z.above) * (1 - wy) * z.weight * there,
                             pixel(y.above, z.below) * wy * (1 - z.weight) * there,
                             pixel(y.above, z.above) * wy * z.weight * there};
    const auto in_bins = [&](const at::Tensor& v) {
      return v.reshape({x.size(1), height, rows, width, columns});
    };
    if (by_max) {  // of the weighted corners, as the format has it
      regions.push_back(in_bins(std::get<0>(at::stack(corners).max(0))).amax({2, 4}));
    } else {
      regions.push_back(in_bins(corners[0] + corners[1] + corners[2] + corners[3]).mean({2, 4}));
    }
  }
  if (regions.empty()) return {at::zeros({0, x.size(1), height, width}, x.options())};
  return {at::stack(regions)};
}

// Values, where each comes first, which one each element is, how often it comes; sorted or in order of
// coming.
Tensors unique(const Call& call) {
  const bool flat = !call.has_attribute("axis");
  const at::Tensor x = flat ? call.in(0).detach().flatten() : call.in(0).detach();
  const auto axis = flat ? 0 : axis_of(call, call.integer("axis", 0), x.dim());
  auto [values, inverse, counts] = at::unique_dim(x, axis, true, true, true);
  const at::Tensor host = inverse.to(at::kCPU).contiguous();
  std::vector<std::int64_t> first(static_cast<std::size_t>(counts.numel()), host.numel());
  const auto* which = host.data_ptr<std::int64_t>();
  for (std::int64_t i = host.numel(); i-- > 0;) first[which[i]] = i;
  at::Tensor firsts = at::tensor(first, at::kLong).to(x.device());
  if (!call.flag("sorted", true)) {
    const at::Tensor order = firsts.argsort();
    const at::Tensor rank = order.argsort();
    values = values.index_select(axis, order);
    firsts = firsts.index_select(0, order);
    counts = counts.index_select(0, order);
    inverse = rank.index_select(0, inverse);
  }
  return {values, firsts, inverse, counts};
}

Tensors affine_grid(const Call& call) {
  const Sizes size = call.integers_in(1);
  check_size(call, size);
  return {at::affine_grid_generator(call.in(0), size, call.flag("align_corners"))};
}

Tensors center_crop_pad(const Call& call) {
  const at::Tensor& x = call.in(0);
  const Sizes wanted = call.integers_in(1);
  Sizes axes = call.integers("axes");
  if (axes.empty()) axes = first_axes(x.dim());
  if (axes.size() != wanted.size()) call.fail("attribute 'axes' and the shape differ in length");
  check_size(call, wanted);
  Sizes begin(static_cast<std::size_t>(x.dim()), 0);
  Sizes end = begin;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = axis_of(call, axes[i], x.dim());
    begin[axis] = (wanted[i] - x.size(axis)) / 2;
    end[axis] = wanted[i] - x.size(axis) - begin[axis];
  }
  return {pad_spatial(x, begin, end, 0)};
}

// Blocks in columns added up to images: N × (C · block) × places → N × C × image.
Tensors col_to_image(const Call& call) {
  const at::Tensor& x = call.in(0);
  const Sizes image = call.integers_in(1);
  const Sizes block = call.integers_in(2);
  const std::size_t rank = image.size();
  const Sizes dilations = call.integers("dilations", Sizes(rank, 1));
  const Sizes strides = call.integers("strides", Sizes(rank, 1));
  const Sizes pads = call.integers("pads", Sizes(2 * rank, 0));
  const auto elements = c10::multiply_integers(block);
  if (x.dim() != 3 || block.size() != rank || dilations.size() != rank || strides.size() != rank ||
      pads.size() != 2 * rank || elements < 1 || x.size(1) % elements != 0)
    call.fail("block, dilations, strides or pads do not fit");
  Sizes padded = {x.size(0), x.size(1) / elements};
  Sizes places = padded;
  for (std::size_t i = 0; i < rank; ++i) {
    padded.push_back(image[i] + pads[i] + pads[rank + i]);
    places.push_back((padded.back() - dilations[i] * (block[i] - 1) - 1) / strides[i] + 1);
  }
  check_size(call, padded);
  check_size(call, places);
  const at::Tensor columns = x.reshape({x.size(0), padded[1], elements, x.size(2)});
  at::Tensor sum = at::zeros(padded, x.options());
  for (std::int64_t e = 0; e < elements; ++e) {
    at::Tensor target = sum;
    auto rest = e;
    for (std::size_t i = rank; i-- > 0;) {
      const auto start = rest % block[i] * dilations[i];
      rest /= block[i];
      const auto dim = static_cast<std::int64_t>(i) + 2;
      target = target.slice(dim, start, start + (places[i + 2] - 1) * strides[i] + 1, strides[i]);
    }
    target.add_(columns.select(2, e).reshape(places));
  }
  for (std::size_t i = 0; i < rank; ++i)
    sum = sum.narrow(static_cast<std::int64_t>(i) + 2, pads[i], image[i]);
  return {sum};
}

// A cache with new rows written at each example's place.
Tensors tensor_scatter(const Call& call) {
  const at::Tensor& cache = call.in(0);
  const at::Tensor& update = call.in(1);
  const auto axis = axis_of(call, call.integer("axis", -2), cache.dim());
  const auto length = update.size(axis);
  at::Tensor place = at::arange(length, update.options().dtype(at::kLong)).reshape({1, -1});
  if (call.has(2)) place = place + call.in(2).to(at::kLong).reshape({-1, 1});
  if (call.choice("mode", {"linear", "circular"}) == "circular") place = place.remainder(cache.size(axis));
  Sizes shape = shape_on_axis(cache.dim(), axis, length);
  shape[0] = place.size(0);
  return {cache.scatter(axis, place.reshape(shape).expand(update.sizes()), update)};
}

constexpr OpEntry kDetectOps[] = {{"AffineGrid", affine_grid, {2, 2}, kHost},
                                  {"CenterCropPad", center_crop_pad, {2, 2}, kHost},
                                  {"Col2Im", col_to_image, {3, 3}, kHost},
                                  {"NonMaxSuppression", non_max_suppression, {2, 5}},
                                  {"RoiAlign", roi_align, {3, 3}},
                                  {"TensorScatter", tensor_scatter, {2, 3}},
                                  {"Unique", unique, {1, 1, 4}}};

}  // namespace

std::span<const OpEntry> detect_ops() { return kDetectOps; }

}  // namespace atcav::plugin
