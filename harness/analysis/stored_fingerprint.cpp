#include "harness/analysis/stored_fingerprint.h"

#include <algorithm>
#include <map>
#include <set>

namespace traceml {

namespace {

using Fields = std::map<std::string, std::string>;

std::string value_in(const Fields& fields, const std::string& name) {
  const auto found = fields.find(name);
  return found == fields.end() || found->second.empty() ? "none" : found->second;
}

struct Difference {
  std::string name;
  std::string text;
};

// `fields_of` answers nullptr for a campaign that has none to compare.
template <class FieldsOf>
std::vector<Difference> differences(const CampaignRecord& candidate,
                                    const std::vector<CampaignRecord>& baseline,
                                    FieldsOf fields_of) {
  const Fields* here = fields_of(candidate);
  std::vector<Difference> found;
  if (here == nullptr) return found;
  std::set<std::string> told;
  for (const CampaignRecord& campaign : baseline) {
    const Fields* there = fields_of(campaign);
    if (there == nullptr) continue;
    Fields all = *here;
    all.insert(there->begin(), there->end());
    for (const auto& [name, ignored] : all) {
      const std::string own = value_in(*here, name), other = value_in(*there, name);
      if (own == other || !told.insert(name).second) continue;
      found.push_back({name, name + ": " + own + " here, " + other + " in " + campaign.name});
    }
  }
  return found;
}

}  // namespace

FingerprintDifferences fingerprint_differences(const CampaignRecord& candidate,
                                               const std::vector<CampaignRecord>& baseline,
                                               const std::string& arm,
                                               const std::vector<std::string>& treatment) {
  FingerprintDifferences result;
  const auto settings_of = [&](const CampaignRecord& campaign) -> const Fields* {
    const auto found = campaign.arms.find(arm);
    return found == campaign.arms.end() ? nullptr : &found->second.settings;
  };
  const auto all_of = [](Fields CampaignRecord::*fields) {
    return
        [fields](const CampaignRecord& campaign) -> const Fields* { return &(campaign.*fields); };
  };
  for (const auto& one : differences(candidate, baseline, all_of(&CampaignRecord::machine))) {
    result.forbidden.push_back(one.text);
  }
  for (const auto& one : differences(candidate, baseline, settings_of)) {
    result.forbidden.push_back(one.text);
  }
  for (const auto& one : differences(candidate, baseline, all_of(&CampaignRecord::software))) {
    const bool judged = std::find(treatment.begin(), treatment.end(), one.name) != treatment.end();
    (judged ? result.treatments : result.forbidden).push_back(one.text);
  }
  for (const auto& one : differences(candidate, baseline, all_of(&CampaignRecord::recorded))) {
    result.also_differ.push_back(one.name);
  }
  return result;
}

}  // namespace traceml
