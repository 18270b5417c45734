// Near misses by edit distance that ignores case, nearest first.
#include "ops/suggest.h"

#include <algorithm>
#include <cctype>

namespace hybrid {

namespace {

std::string folded(const std::string& text) {
  std::string result;
  for (unsigned char c : text) {
    if (c != '_') result += static_cast<char>(std::tolower(c));
  }
  return result;
}

// Levenshtein's distance, row by row.
size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string did_you_mean(const std::string& given, const std::vector<std::string>& known) {
  if (given.empty() || given.size() > 100) return "";
  const std::string wanted = folded(given);
  const size_t limit = std::max<size_t>(1, wanted.size() / 3);
  std::vector<std::pair<size_t, std::string>> near;
  for (const std::string& name : known) {
    const std::string candidate = folded(name);
    size_t d = distance(wanted, candidate);
    const bool prefix = wanted.size() >= 3 && candidate.compare(0, wanted.size(), wanted) == 0;
    if (prefix) d = std::min(d, limit);
    if (d <= limit) near.emplace_back(d, name);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (size_t i = 0; i < near.size() && i < 3; ++i) {
    text += (i ? ", '" : "; did you mean '") + near[i].second + "'";
  }
  return text.empty() ? "" : text + "?";
}

}  // namespace hybrid
