#pragma once
// Campaigns that later ones are held against (docs/files.md): DIR/campaign_0001.json, ... and
// DIR/pin_0001.json, .... Files are added, never changed. Each names the checksum of the one before
// it, and a pin those of its campaigns, so that an edited, missing or foreign file is found.
// DIR/head.json counts them and names the last ones, so that these cannot go unseen either.

#include <string>
#include <vector>

#include "harness/analysis/stored_baseline.h"

namespace traceml {

struct StoredPin {
  std::string created_utc;
  std::vector<int> campaigns;  // numbers, ascending
};

struct BaselineStore {
  std::vector<CampaignRecord> campaigns;  // number 1 first; named "campaign 1", ...
  std::vector<StoredPin> pins;            // number 1 first; the last one holds
};

// Empty where the folder is not there or holds nothing. Throws RunError naming the file that is
// torn, edited, missing or of another store. Others may add to it meanwhile.
BaselineStore read_store(const std::string& dir);

// Makes the folder where it is not there. Answers the number of the campaign. Any number of
// processes may add at once. Throws UsageError where one of its launches is stored already, and as
// read_store().
int add_campaign(const std::string& dir, const CampaignRecord& campaign);

// From now on these campaigns are the baseline. Answers the number of the pin. Throws UsageError
// for a number that is not there or twice, and for fewer than five.
int pin_campaigns(const std::string& dir, std::vector<int> campaigns,
                  const std::string& created_utc);

PinnedBaseline pinned_of(const BaselineStore& store);

}  // namespace traceml
