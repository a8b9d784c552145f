#include "report/discover.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "atcav/report.h"
#include "atcav/version.h"
#include "pipeline/discover_tests.h"
#include "pipeline/plain_words.h"
#include "report/assets.h"
#include "report/document.h"
#include "report/escape.h"
#include "report/html.h"
#include "report/result_fields.h"
#include "report/text_table.h"
#include "report/words.h"

namespace atcav::report {
namespace {

// "41 %"
std::string share_of_hundred(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string cosine_text(double cosine) { return plain_number(cosine, 2); }

// As a sentence on the page begins.
std::string capital(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() += 'A' - 'a';
  return text;
}

std::string patch_file(const ShownPatch& patch) {
  return patch.file.empty() ? fmt::format("input {}", patch.input)
                            : std::filesystem::path(patch.file).filename().string();
}

Json patch_json(const ShownPatch& patch, const Candidate& of) {
  Json json = {{"input", patch.input}, {"file", patch_file(patch)}};
  if (of.tokens)
    json["token"] = patch.position;
  else if (of.height * of.width > 1)
    json.update({{"row", patch.position / of.width}, {"column", patch.position % of.width}});
  json["strength"] = patch.strength;
  return json;
}

Json candidate_json(const Candidate& one, double level) {
  Json json = {{"name", one.name},
               {"class", one.result.class_name},
               {"layer", one.result.layer},
               {"use", word(one.use)},
               {"text", one.text},
               {"found", {{"inputs", one.inputs}, {"positions", one.positions}, {"share", one.share}}},
               {"held_out",
                {{"inputs", one.held_out_inputs}, {"share", one.held_out_share}, {"cosine", one.agreement}}},
               {"baseline",
                {{"p", one.baseline_p},
                 {"cosine", one.cosine},
                 {"usual", one.usual_cosine},
                 {"random_images", one.random_images}}}};
  if (!one.merged.empty()) json["merged"] = one.merged;
  if (one.nearest)
    json["named"] = {{"nearest", *one.nearest}, {"cosine", one.nearest_cosine}, {"explained", one.explained}};
  json["patches"] = Json::array();
  for (const ShownPatch& patch : one.shown) json["patches"].push_back(patch_json(patch, one));
  json["result"] = result_json(one.result, level);
  return json;
}

Json family_json(const Discovered::Family& family) {
  Json json = {{"layer", family.layer},
               {"class", family.class_name},
               {"tested", family.tested},
               {"dropped", family.dropped},
               {"baselines", Json::array()}};
  for (const Baseline& one : family.baselines)
    json["baselines"].push_back({{"kind", one.kind}, {"logits", one.logits}, {"adding", one.adding}});
  return json;
}

const DoseResponse& added(const Result& result) {
  return result.intervention->random ? *result.intervention->random : result.intervention->of_class;
}

std::string adding_words(const Result& result) {
  if (!result.intervention) return "–";
  const DoseResponse& on = added(result);
  return signed_words(on.odd.back(), {on.low.back(), on.high.back()});
}

std::string taking_words(const Result& result) {
  return result.erasure ? signed_words(result.erasure->change, result.erasure->interval) : "–";
}

std::string use_words(const Candidate& one) {
  if (one.use == Use::kFor) return "used for";
  if (one.use == Use::kAgainst) return "counts against";
  return one.result.verdict.use == Use::kNoEvidence ? "no evidence" : "as random ones";
}

std::string nearest_words(const Candidate& one) {
  return one.nearest ? fmt::format("{} {}", *one.nearest, cosine_text(one.nearest_cosine)) : "";
}

bool several(const Discovered& found, std::string Discovered::Family::*part) {
  return std::ranges::any_of(found.families,
                             [&](const auto& one) { return one.*part != found.families.front().*part; });
}

std::string title_of(const Discovered& found) {
  std::vector<std::string> classes;
  for (const ClassSet& set : found.config.run.classes) classes.push_back(class_words(set.name));
  return "Concepts found for " + listed(classes, 3, "classes");
}

// The place of a patch as a square over its picture.
std::string square(const ShownPatch& patch, const Candidate& of) {
  if (of.tokens || of.height * of.width <= 1) return "";
  return fmt::format(
      "<svg class=\"place\" viewBox=\"0 0 {0} {1}\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect "
      "class=\"edge\" "
      "x=\"{2}\" y=\"{3}\" width=\"1\" height=\"1\"/><rect x=\"{2}\" y=\"{3}\" width=\"1\" "
      "height=\"1\"/></svg>",
      of.width, of.height, patch.position % of.width, patch.position / of.width);
}

std::string patch_html(const ShownPatch& patch, const Candidate& of, std::size_t id,
                       const std::map<std::string, std::string>& pictures) {
  const auto picture = pictures.find(patch.file);
  const std::string name = escape_html(patch_file(patch));
  std::string shown;
  if (picture != pictures.end() && !picture->second.empty())
    shown = fmt::format("<div class=\"picture\"><img src=\"{}\" alt=\"{}\" loading=\"lazy\">{}</div>",
                        picture->second, name, square(patch, of));
  else if (of.height * of.width > 1)
    shown = fmt::format("<div>{} {}</div>", of.tokens ? "token" : "position", patch.position);
  return fmt::format("<li data-patch=\"{}\">{}<span title=\"{}\">{}</span>{:.2f}</li>\n", id, shown, name,
                     name, patch.strength);
}

std::string seen_words(const Candidate& one) {
  std::string text = fmt::format(
      "Found in {} of the finding half’s inputs ({} of their positions), seen in {} held-out ones; the "
      "direction "
      "found there has cosine {:.2f} with it.",
      one.inputs, share_of_hundred(one.share), one.held_out_inputs, one.agreement);
  if (!one.merged.empty())
    text += fmt::format(" {} went into it.", counted(one.merged.size(), "near-equal one", "near-equal ones"));
  return text;
}

std::string candidate_html(const Candidate& one, const Discovered& found,
                           const std::map<std::string, std::string>& pictures, std::size_t& id) {
  std::string patches;
  for (const ShownPatch& patch : one.shown) patches += patch_html(patch, one, id++, pictures);
  const std::string nearest = named_words(one);
  std::string facts;
  const auto add = [&](const char* what, const std::string& words) {
    facts += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", what, escape_html(words));
  };
  add("Effect d", signed_words(one.result.effect.d, one.result.effect.d_interval));
  add("p of use, corrected", p_number(one.result.corrected_p()));
  add("Adding it to random images", adding_words(one.result));
  add("Taking it away", taking_words(one.result));
  add("Against shuffled directions", fmt::format("p {}; cosine {:.2f}, usual {:.2f}",
                                                 p_number(one.baseline_p), one.cosine, one.usual_cosine));
  return fmt::format(
      "<article class=\"candidate {}\"><h3>{}{}</h3>\n<p>{}</p>\n{}<div "
      "class=\"extremes\"><ol>\n{}</ol></div>\n<dl "
      "class=\"numbers\">{}</dl>\n<p class=\"note\">{}</p></article>\n",
      word(one.use), escape_html(one.name),
      several(found, &Discovered::Family::layer) ? " · " + escape_html(one.result.layer) : "",
      escape_html(capital(one.text)),
      nearest.empty() ? "" : fmt::format("<p>{}.</p>\n", escape_html(capital(nearest))), patches, facts,
      escape_html(seen_words(one)));
}

Json maps_json(const Discovered& found) {
  Json maps = Json::object();
  std::size_t id = 0;
  for (const Candidate& one : found.candidates) {
    for (const ShownPatch& patch : one.shown) {
      if (!patch.cells.empty())
        maps[std::to_string(id)] = {{"height", one.height},
                                    {"width", one.width},
                                    {"tokens", one.tokens},
                                    {"cells", cells_json(patch.cells, 1)}};
      ++id;
    }
  }
  return {{"maps", std::move(maps)}};
}

constexpr std::string_view kGalleryStyle =
    ".candidate { border-top: 1px solid var(--rule); padding: 1rem 0 1.5rem; }\n"
    ".candidate h3 { margin: 0 0 0.25rem; }\n"
    ".candidate .place { position: absolute; inset: 0; width: 100%; height: 100%; }\n"
    ".candidate .place rect { fill: none; stroke: #fff; stroke-width: 2px; vector-effect: "
    "non-scaling-stroke; }\n"
    ".candidate .place .edge { stroke: #000; stroke-width: 5px; }\n";

std::string notes_list(const Discovered& found) {
  std::string items;
  for (const std::string& note : found.notes) items += fmt::format("<li>{}</li>\n", escape_html(note));
  return items.empty() ? "" : fmt::format("<section><h2>Notes</h2>\n<ul>\n{}</ul></section>\n", items);
}

constexpr std::string_view kLimits =
    "One half of each class’s inputs found these candidates, the other half tested them; patches are of the "
    "other "
    "half. Intervals hold the error of having drawn these inputs and patches. A candidate is a direction "
    "that a "
    "finder made: what it shows is for you to say, and it need not be one thing. It is called used when "
    "adding or "
    "taking it away moves the logit and it goes with the network more than its own values at shuffled "
    "channels "
    "do, corrected over all candidates. Directions that nobody looked for move logits too: clusters of "
    "random "
    "images, found in the same way, and shuffled directions stand beside.";

}  // namespace

std::string named_words(const Candidate& candidate) {
  if (!candidate.nearest) return "";
  const double cosine = candidate.nearest_cosine;
  const char* how = cosine > 0.7   ? "mostly"
                    : cosine > 0.3 ? "partly"
                                   : "little of any named concept; the nearest is";
  return fmt::format("{} {} (cosine {}; the named concepts hold {} of its squared length)", how,
                     *candidate.nearest, cosine_text(cosine), share_of_hundred(candidate.explained));
}

std::string family_words(const Discovered& found, const Discovered::Family& family) {
  Index used = 0;
  Index beyond = 0;
  for (const Candidate& one : found.candidates) {
    const bool here = one.result.layer == family.layer && one.result.class_name == family.class_name;
    if (!here || one.use == Use::kNoEvidence) continue;
    ++used;
    beyond += beyond_random_images(one) ? 1 : 0;
  }
  const auto up_to = [&](std::string_view kind, const char* one_of_them, const char* more) {
    double most = 0;
    std::size_t count = 0;
    for (const Baseline& one : family.baselines) {
      if (one.kind != kind) continue;
      most = std::max(most, std::abs(one.adding));
      ++count;
    }
    return fmt::format("{} move{} {} by up to {:.2f}", counted(count, one_of_them, more),
                       count == 1 ? "s" : "", class_words(family.class_name), most);
  };
  const std::string selective =
      used == 0 ? "" : fmt::format(", {} of them beyond all clusters of random images", beyond);
  return fmt::format(
      "{} at {}: {} of {} used{}. Added in the same way, {} logits, {}.", class_words(family.class_name),
      family.layer, used, counted(static_cast<std::size_t>(family.tested), "candidate is", "candidates are"),
      selective, up_to("random images", "cluster of random images", "clusters of random images"),
      up_to("random direction", "shuffled direction", "shuffled directions"));
}

std::string discover_json(const Discovered& found) {
  Json json = {{"atcav", kVersion},
               {"command", "discover"},
               {"seed", found.options.seed},
               {"libraries", found.libraries},
               {"options", options_document(found.options)}};
  json["discover"] = {{"concepts", found.config.candidates}, {"merge", found.config.merge}};
  if (found.config.dictionary.empty())
    json["discover"]["finder"] = name(found.config.finder);
  else
    json["discover"]["dictionary"] = found.config.dictionary;
  if (found.config.positions > 0) json["discover"]["positions"] = found.config.positions;
  if (!found.notes.empty()) json["notes"] = found.notes;
  json["inputs"] = Json::array();
  for (const Input& input : found.inputs) {
    json["inputs"].push_back({{"role", role_text(input.role)},
                              {"path", input.path},
                              {"sha256", input.sha256},
                              {"shape", input.shape}});
  }
  json["candidates"] = Json::array();
  for (const Candidate& one : found.candidates)
    json["candidates"].push_back(candidate_json(one, found.options.level));
  json["families"] = Json::array();
  for (const Discovered::Family& family : found.families) json["families"].push_back(family_json(family));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string discover_table(const Discovered& found) {
  const bool layers = several(found, &Discovered::Family::layer);
  const bool named = !found.config.run.concepts.empty();
  TextTable table{{"candidate"}, {}};
  if (layers) table.header.emplace_back("layer");
  for (const char* head : {"effect d", "p corr.", "adding", "taking away", "p baseline"})
    table.header.emplace_back(head);
  if (named) table.header.emplace_back("nearest");
  table.header.emplace_back("verdict");
  for (const Candidate& one : found.candidates) {
    std::vector<std::string> row = {printable(one.name)};
    if (layers) row.push_back(printable(one.result.layer));
    row.push_back(signed_words(one.result.effect.d, one.result.effect.d_interval));
    row.push_back(p_number(one.result.corrected_p()));
    row.push_back(adding_words(one.result));
    row.push_back(taking_words(one.result));
    row.push_back(p_number(one.baseline_p));
    if (named) row.push_back(printable(nearest_words(one)));
    row.push_back(use_words(one));
    table.rows.push_back(std::move(row));
  }
  std::string text = table.rows.empty() ? "no candidate was seen in enough inputs\n" : format_table(table);
  text += "\n";
  for (const Discovered::Family& family : found.families)
    text += printable(family_words(found, family)) + "\n";
  for (const std::string& note : found.notes) text += fmt::format("note: {}\n", printable(note));
  return text;
}

std::string discover_html(const Discovered& found, const std::map<std::string, std::string>& pictures,
                          const std::string& command_line) {
  std::string families;
  for (const Discovered::Family& family : found.families)
    families += fmt::format("<li>{}</li>\n", escape_html(family_words(found, family)));
  std::string candidates;
  std::size_t id = 0;
  for (const Candidate& one : found.candidates) candidates += candidate_html(one, found, pictures, id);
  const std::string title = escape_html(title_of(found));
  const std::string command =
      command_line.empty() ? "" : fmt::format("<pre>{}</pre>\n", escape_html(command_line));
  const std::string body = fmt::format(
      "<a class=\"skip\" href=\"#main\">Skip to the candidates</a>\n<header>\n<p class=\"eyebrow\">atcav "
      "discover</p>\n<h1>{}</h1>\n<p class=\"subtitle\">{} · {}</p>\n</header>\n<main "
      "id=\"main\">\n<section><ul>\n{}</ul>\n<p "
      "class=\"note\">{}</p></section>\n<section id=\"candidates\"><h2>Candidates</h2>\n<p "
      "class=\"note\">Squares "
      "mark the patch of each held-out input that shows the candidate most; the number is how far it lies "
      "along the "
      "direction, 1 is as far as the candidate’s mean.</p>\n<div "
      "id=\"gallery-switch\"></div>\n{}</section>\n{}"
      "<section id=\"reproduce\"><h2>Reproduce</h2>\n{}<p class=\"note\">atcav "
      "{}</p></section>\n</main>\n",
      title, escape_html(std::filesystem::path(found.config.run.model).filename().string()),
      escape_html(found.config.dictionary.empty() ? std::string(name(found.config.finder))
                                                  : found.config.dictionary),
      families, kLimits, candidates, notes_list(found), command, kVersion);
  return page_html({title,
                    body,
                    maps_json(found).dump(-1, ' ', false, Json::error_handler_t::replace),
                    {assets::dom, assets::maps, assets::gallery},
                    kGalleryStyle});
}

}  // namespace atcav::report
