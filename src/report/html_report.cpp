#include "src/report/html_report.h"
#include <algorithm>
#include <cmath>
#include "src/config/load.h"
#include "src/report/chart.h"
#include "src/report/page_style.h"
#include "src/report/progress.h"
#include "src/report/seed_spread.h"

namespace orbit {
namespace {

struct Chart {
  std::string title;
  std::vector<std::string> metrics;  // those that no row has are left out
};

const std::vector<Chart>& charts() {
  static const std::vector<Chart> all = {{"Return", {"episode_return"}},
                                         {"Episode length", {"episode_length"}},
                                         {"Return of the greedy policy in evaluation", {"evaluation_return"}},
                                         {"Steps of its episodes", {"evaluation_length"}},
                                         {"Share of them that terminated", {"evaluation_terminated"}},
                                         {"Win rate against the training opponent", {"win_rate"}},
                                         {"Approximate KL", {"approx_kl"}},
                                         {"KL to the reference", {"reference_kl"}},
                                         {"Entropy", {"entropy"}},
                                         {"Policy loss", {"policy_loss"}},
                                         {"Value loss", {"value_loss"}},
                                         {"Explained variance", {"explained_variance"}},
                                         {"Clip fraction", {"clip_fraction"}},
                                         {"Gradient norm", {"grad_norm"}},
                                         {"Learning rate", {"lr"}},
                                         {"Clip range", {"clip_eps"}},
                                         {"Entropy coefficient", {"entropy_coef"}},
                                         {"KL coefficient", {"kl_beta"}},
                                         {"States per second", {"env_per_second", "inference_per_second", "update_per_second"}}};
  return all;
}

std::vector<std::string> evaluation_metrics(const std::vector<RunRecord>& runs) {
  std::vector<std::string> names;
  for (const RunRecord& run : runs)
    for (const MetricsRow& row : run.rows)
      for (const auto& [name, value] : row.values())
        if (name.starts_with("win_rate_") && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

std::string opponent_of_metric(const std::string& metric) { return metric.substr(std::string("win_rate_").size()); }

std::string cells(const std::vector<std::string>& texts, const char* tag = "td") {
  std::string row = "<tr>";
  for (const std::string& text : texts) row += std::string("<") + tag + ">" + escaped(text) + "</" + tag + ">";
  return row + "</tr>";
}

// A table that scrolls by itself where the screen is narrow.
std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) {
  std::string text = "<div class=\"wide\"><table>" + (head.empty() ? "" : cells(head, "th"));
  for (const auto& row : rows) text += cells(row);
  return text + "</table></div>";
}

double total(const std::vector<MetricsRow>& rows, const std::string& metric) {
  double sum = 0;
  for (const MetricsRow& row : rows) {
    const double value = row.find(metric).value_or(0);
    if (std::isfinite(value)) sum += value;
  }
  return sum;
}

std::string last_value(const RunRecord& run, const std::string& metric, const char* format) {
  const Curve curve = curve_of(run, metric);
  return curve.empty() ? "" : number_text(curve.back().value, format);
}

std::string runs_table(const std::vector<RunRecord>& runs) {
  std::vector<std::vector<std::string>> rows;
  for (const RunRecord& run : runs) {
    rows.push_back({run.name, std::to_string(run.config.training.seed), run.status,
                    std::to_string(run.rows.size()) + " of " + std::to_string(run.config.training.iterations),
                    last_value(run, "samples", "%.0f"), duration_text(total(run.rows, "time_iteration") + total(run.rows, "time_evaluation")),
                    last_value(run, "episode_return", "%.3g"), run.started});
  }
  return table({"run", "seed", "status", "iterations", "states", "time", "last return", "started"}, rows);
}

std::string percent(double proportion) { return number_text(100 * proportion, "%.1f") + " %"; }

// The last evaluation of each group against each opponent, and the best one by its mean.
std::string evaluation_table(const std::vector<RunGroup>& groups, const std::vector<std::string>& metrics) {
  std::vector<std::vector<std::string>> rows;
  for (const RunGroup& group : groups) {
    for (const std::string& metric : metrics) {
      const Curve curve = mean_curve(group, metric);
      if (curve.empty()) continue;
      const auto best = std::max_element(curve.begin(), curve.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
      const CurvePoint& last = curve.back();
      rows.push_back({group.name, opponent_of_metric(metric), percent(last.value), percent(last.low) + " to " + percent(last.high),
                      percent(best->value) + " at " + number_text(best->iteration, "%.0f"),
                      std::to_string(group.runs.size()) + " x " + std::to_string(group.runs[0]->config.evaluation.games)});
    }
  }
  if (rows.empty()) return "";
  return "<h2>Evaluation</h2><p>Greedy play on boards that training never draws. The interval is at 95 %: Wilson's over the games of one "
         "run, Student's over the means of several seeds.</p>" +
         table({"run", "against", "last", "interval", "best, iteration", "seeds x games"}, rows);
}

std::string figure(const std::string& title, const std::vector<ChartLine>& lines) {
  return lines.empty() ? "" : "<figure><figcaption>" + escaped(title) + "</figcaption>" + line_chart(lines) + "</figure>";
}

ChartLine line_of(const RunGroup& group, const std::string& metric, const std::string& name, int colour) {
  ChartLine line{name, colour, mean_curve(group, metric), {}};
  if (group.runs.size() > 1)
    for (const RunRecord* run : group.runs) line.members.push_back(curve_of(*run, metric));
  return line;
}

// One group: its metrics side by side. Several: the groups side by side, a chart for every metric.
std::string curves(const std::vector<RunGroup>& groups, const Chart& chart) {
  std::string text;
  std::vector<ChartLine> lines;
  const auto add = [&](ChartLine line) {
    if (!line.mean.empty()) lines.push_back(std::move(line));
  };
  for (size_t m = 0; m < chart.metrics.size(); ++m) {
    const bool alone = chart.metrics.size() == 1;
    if (groups.size() == 1) {
      add(line_of(groups[0], chart.metrics[m], alone ? "" : chart.metrics[m], int(m)));
      continue;
    }
    for (size_t g = 0; g < groups.size(); ++g) add(line_of(groups[g], chart.metrics[m], groups[g].name, int(g)));
    text += figure(chart.title + (alone ? "" : ": " + chart.metrics[m]), lines);
    lines.clear();
  }
  return text + figure(chart.title, lines);
}

std::string all_curves(const std::vector<RunGroup>& groups, const std::vector<std::string>& evaluations) {
  std::string text;
  for (const std::string& metric : evaluations) text += curves(groups, {"Win rate against " + opponent_of_metric(metric), {metric}});
  for (const Chart& chart : charts()) text += curves(groups, chart);
  if (text.empty()) return "";
  const bool seeds = std::any_of(groups.begin(), groups.end(), [](const RunGroup& g) { return g.runs.size() > 1; });
  return std::string("<h2>Curves</h2>") +
         (seeds ? "<p>Thick: the mean over seeds, with its 95 % interval; thin: each seed.</p>" : "") + "<div class=\"charts\">" + text +
         "</div>";
}

// Shares of the time, from the sums over all iterations of the group's runs.
std::string time_of(const RunGroup& group) {
  const auto seconds = [&](const char* metric) {
    double sum = 0;
    for (const RunRecord* run : group.runs) sum += total(run->rows, metric);
    return sum;
  };
  const double env = seconds("time_env"), inference = seconds("time_inference"), update = seconds("time_update"),
               evaluation = seconds("time_evaluation"), all = seconds("time_iteration") + evaluation;
  if (all <= 0) return "";
  double iterations = 0;
  for (const RunRecord* run : group.runs) iterations += double(run->rows.size());
  const auto share = [&](double part) { return std::clamp(part / all, 0.0, 1.0); };
  return "<p>" + escaped(group.name) + ": " + number_text(all / iterations, "%.3g") + " s an iteration</p>" +
         parted_bar({{"environment", share(env)},
                     {"inference", share(inference)},
                     {"update", share(update)},
                     {"evaluation", share(evaluation)},
                     {"other", share(all - env - inference - update - evaluation)}});
}

std::string differences(const std::vector<RunGroup>& groups) {
  if (groups.size() < 2) return "";
  const Settings base = settings_of(groups[0].runs[0]->config);
  std::vector<std::string> head = {"setting"}, keys;
  std::vector<Settings> all;
  for (const RunGroup& group : groups) {
    head.push_back(group.name);
    all.push_back(settings_of(group.runs[0]->config));
    for (const SettingChange& change : changes(base, all.back()))
      if (!change.key.starts_with("output.") && std::find(keys.begin(), keys.end(), change.key) == keys.end()) keys.push_back(change.key);
  }
  std::vector<std::vector<std::string>> rows;
  for (const std::string& key : keys) {
    rows.push_back({key});
    for (const Settings& settings : all) {
      const auto found = std::find_if(settings.begin(), settings.end(), [&](const auto& s) { return s.first == key; });
      rows.back().push_back(found == settings.end() ? "" : found->second);
    }
  }
  return "<h2>What differs</h2>" + table(head, rows);
}

std::string machines(const std::vector<RunRecord>& runs) {
  std::string text;
  std::vector<std::vector<std::pair<std::string, std::string>>> shown;
  for (const RunRecord& run : runs) {
    if (run.machine.empty() || std::find(shown.begin(), shown.end(), run.machine) != shown.end()) continue;
    shown.push_back(run.machine);
    std::vector<std::vector<std::string>> rows;
    for (const auto& [name, value] : run.machine) rows.push_back({name, value});
    text += table({}, rows);
  }
  return text.empty() ? "" : "<h2>Machine</h2>" + text;
}

}  // namespace

std::string html_report(const std::string& title, const std::vector<RunRecord>& runs) {
  const std::vector<RunGroup> groups = group_runs(runs);
  const std::vector<std::string> evaluations = evaluation_metrics(runs);
  std::string page = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                     "content=\"width=device-width, initial-scale=1\"><title>" +
                     escaped(title) + "</title><style>" + kPageStyle + "</style></head><body><h1>" + escaped(title) + "</h1>";
  page += runs_table(runs) + evaluation_table(groups, evaluations) + all_curves(groups, evaluations);
  std::string times;
  for (const RunGroup& group : groups) times += time_of(group);
  if (!times.empty()) page += "<h2>Where the time goes</h2>" + times;
  page += differences(groups) + machines(runs) + "<h2>Settings</h2>";
  for (const RunGroup& group : groups)
    page += "<details><summary>" + escaped(group.name) + "</summary><pre>" + escaped(to_yaml(group.runs[0]->config)) + "</pre></details>";
  return page + "</body></html>\n";
}

}  // namespace orbit
