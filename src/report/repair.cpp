#include "report/repair.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "atcav/version.h"
#include "report/document.h"
#include "report/escape.h"
#include "report/figures_svg.h"
#include "report/html.h"
#include "report/text_table.h"
#include "report/words.h"

namespace atcav::report {
namespace {

using Json = nlohmann::ordered_json;

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json change_json(const RepairedGroup::Change& change) {
  return {
      {"value", change.value}, {"low", finite(change.interval.low)}, {"high", finite(change.interval.high)}};
}

Json share_json(const RepairedGroup::Share& share) {
  return {{"hits", share.hits},
          {"share", share.share},
          {"low", share.interval.low},
          {"high", share.interval.high}};
}

Json group_json(const RepairedGroup& group) {
  return {{"name", group.name},
          {"logit", group.logit},
          {"inputs", group.inputs},
          {"top1_before", share_json(group.before)},
          {"top1_after", share_json(group.after)},
          {"gained", group.gained},
          {"lost", group.lost},
          {"top1_change", change_json(group.share)},
          {"logit_change", change_json(group.mean_logit)}};
}

std::string taken_out(const Repaired& repaired) {
  return fmt::format("{} taken out of {}", listed(repaired.concepts, repaired.concepts.size(), "concepts"),
                     repaired.layer);
}

std::string share_words(const RepairedGroup::Share& share) {
  return fmt::format("{:.2f} ({})", share.share, interval_words(share.interval));
}

// Two rows per group: hollow before, filled after.
std::string chart(const Repaired& repaired) {
  constexpr double kRow = 46;
  constexpr double kTop = 84;
  const double bottom = kTop + kRow * static_cast<double>(repaired.groups.size());
  Svg svg(680, bottom + 56, "Inputs whose largest logit is their class's",
          fmt::format("Hollow: before. Filled: after. Bars: {} intervals", percent(repaired.options.level)));
  const Scale scale{0, 1, 190, 650, false};
  svg.x_axis(scale, bottom, kTop - 16, "share of the inputs");
  for (std::size_t i = 0; i < repaired.groups.size(); ++i) {
    const RepairedGroup& group = repaired.groups[i];
    const double y = kTop + kRow * static_cast<double>(i);
    svg.text({178, y + 11}, group.name, Anchor::kEnd);
    const auto draw = [&](const RepairedGroup::Share& share, double at, bool hollow) {
      svg.line({scale(share.interval.low), at}, {scale(share.interval.high), at}, colour::kFor, 2);
      svg.dot({scale(share.share), at}, colour::kFor, hollow);
    };
    draw(group.before, y, true);
    draw(group.after, y + 16, false);
  }
  return svg.finish();
}

std::string groups_html(const Repaired& repaired) {
  if (repaired.groups.empty()) return "<p>No inputs were looked at: --check names some.</p>\n";
  std::string sentences;
  std::string rows;
  for (const RepairedGroup& group : repaired.groups) {
    sentences += fmt::format("<li>{}</li>\n", escape_html(sentence(group)));
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td><td "
        "class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td "
        "class=\"number\">{}</td></tr>\n",
        escape_html(group.name), group.inputs, share_words(group.before), share_words(group.after),
        signed_words(group.share.value, group.share.interval),
        fmt::format("{} / {}", group.gained, group.lost),
        signed_words(group.mean_logit.value, group.mean_logit.interval));
  }
  return fmt::format(
      "<ul>\n{}</ul>\n<figure>{}</figure>\n<div class=\"scroll\" role=\"region\" aria-label=\"groups\" "
      "tabindex=\"0\"><table><caption>Share of inputs whose largest logit is their class’s</caption>\n"
      "<thead><tr><th scope=\"col\">Group</th><th scope=\"col\" class=\"number\">Inputs</th><th "
      "scope=\"col\" class=\"number\">Before</th><th scope=\"col\" class=\"number\">After</th><th "
      "scope=\"col\" class=\"number\">Change</th><th scope=\"col\" class=\"number\">Gained / lost</th><th "
      "scope=\"col\" class=\"number\">Logit</th></tr></thead>\n<tbody>\n{}</tbody></table></div>\n"
      "<p class=\"note\">Intervals are at {}: Wilson’s for a share; for changes of pairs, since before and "
      "after are of the same inputs. They hold the error from having drawn these inputs, and nothing about "
      "others that are unlike them.</p>\n",
      sentences, chart(repaired), rows, percent(repaired.options.level));
}

std::string notes_html(const Repaired& repaired) {
  std::string items;
  for (const std::string& note : repaired.notes) items += fmt::format("<li>{}</li>\n", escape_html(note));
  return items.empty() ? "<p>None.</p>\n" : fmt::format("<ul>\n{}</ul>\n", items);
}

std::string counts(const Repaired& repaired) {
  std::vector<std::string> list;
  for (std::size_t c = 0; c < repaired.concepts.size(); ++c)
    list.push_back(fmt::format("{} {}", repaired.n_concept[c], repaired.concepts[c]));
  return fmt::format("{}; {} random", fmt::join(list, ", "), repaired.n_random);
}

}  // namespace

std::string sentence(const RepairedGroup& group) {
  const RepairedGroup::Change& change = group.share;
  const bool unclear = change.interval.low <= 0 && change.interval.high >= 0;
  return fmt::format("{}: {} of {} right before, {} after: {}{}.", group.name, group.before.hits,
                     group.inputs, group.after.hits, signed_words(change.value, change.interval),
                     unclear ? "; the interval holds 0" : "");
}

std::string repair_json(const Repaired& repaired) {
  Json concepts = Json::array();
  for (std::size_t c = 0; c < repaired.concepts.size(); ++c)
    concepts.push_back({{"name", repaired.concepts[c]}, {"n", repaired.n_concept[c]}});
  Json inputs = Json::array();
  for (const Input& input : repaired.inputs) {
    Json one = {{"role", role_text(input.role)}, {"path", input.path}, {"sha256", input.sha256}};
    if (!input.shape.empty()) one["shape"] = input.shape;
    inputs.push_back(std::move(one));
  }
  Json groups = Json::array();
  for (const RepairedGroup& group : repaired.groups) groups.push_back(group_json(group));
  const Json json = {{"atcav", kVersion},
                     {"command", "repair"},
                     {"layer", repaired.layer},
                     {"tensor", repaired.tensor},
                     {"pool", repaired.pool},
                     {"cav", stats::name(repaired.options.cav.method)},
                     {"lambda", repaired.options.cav.lambda},
                     {"cost", repaired.options.cav.cost},
                     {"level", repaired.options.level},
                     {"d", repaired.dimension},
                     {"concepts", concepts},
                     {"n_random", repaired.n_random},
                     {"groups", groups},
                     {"inputs", inputs},
                     {"notes", repaired.notes}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string repair_table(const Repaired& repaired) {
  std::string text = fmt::format("{} ({}, {} columns)\n", printable(taken_out(repaired)), counts(repaired),
                                 repaired.dimension);
  if (!repaired.groups.empty()) {
    TextTable table{{"group", "inputs", "before", "after", "change", "gained", "lost", "logit"}, {}};
    for (const RepairedGroup& group : repaired.groups) {
      table.rows.push_back({printable(group.name), std::to_string(group.inputs), share_words(group.before),
                            share_words(group.after), signed_words(group.share.value, group.share.interval),
                            std::to_string(group.gained), std::to_string(group.lost),
                            signed_words(group.mean_logit.value, group.mean_logit.interval)});
    }
    text += fmt::format("\n{}\n", format_table(table));
  }
  for (const std::string& note : repaired.notes) text += fmt::format("note: {}\n", printable(note));
  return text;
}

std::string repair_html(const Repaired& repaired, const std::string& command_line) {
  const std::string body = fmt::format(
      "<a class=\"skip\" href=\"#main\">Skip to the groups</a>\n<header>\n<p class=\"eyebrow\">atcav "
      "repair</p>\n<h1>{}</h1>\n<p class=\"subtitle\">{} · {} · cav {} · pool {}</p>\n</header>\n<main "
      "id=\"main\">\n<section id=\"groups\"><h2>Before and after</h2>\n{}</section>\n<section "
      "id=\"notes\"><h2>Notes</h2>\n{}</section>\n<section id=\"reproduce\"><h2>Reproduce</h2>\n"
      "<pre>{}</pre>\n<p class=\"note\">atcav {}</p></section>\n</main>\n",
      escape_html(taken_out(repaired)),
      escape_html(std::filesystem::path(repaired.model).filename().string()), escape_html(counts(repaired)),
      stats::name(repaired.options.cav.method), escape_html(repaired.pool), groups_html(repaired),
      notes_html(repaired), escape_html(command_line), kVersion);
  return page_html({escape_html(taken_out(repaired)), body, "{}", {}});
}

}  // namespace atcav::report
