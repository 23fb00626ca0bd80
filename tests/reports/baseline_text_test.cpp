#include "harness/reports/baseline_text.h"

#include <gmock/gmock.h>

#include "tests/analysis/stored_campaigns.h"
#include "tests/reports/golden.h"

namespace traceml {
namespace {

using ::testing::HasSubstr;

std::vector<CampaignRecord> six_campaigns() {
  std::vector<CampaignRecord> campaigns;
  const std::vector<double> reference_ms = {40.00, 40.04, 39.96, 40.02, 39.98, 40.01};
  for (std::size_t i = 0; i < reference_ms.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    campaigns.push_back(stored::campaign_of(
        reference_ms[i], .02 + .001 * static_cast<double>(i % 3), "campaign " + number));
    campaigns.back().created_utc = "2026-11-0" + number + "T02:00:00Z";
    campaigns.back().software["commit"] = "c" + number;
  }
  campaigns[5].arms.erase("reference");
  return campaigns;
}

PinnedBaseline five_pinned() {
  std::vector<CampaignRecord> campaigns = six_campaigns();
  campaigns.pop_back();
  PinnedBaseline pinned = stored::pinned(std::move(campaigns));
  pinned.pin = 2;
  pinned.stored = 6;
  return pinned;
}

TEST(BaselineText, ListsCampaignsAndPins) {
  const std::string text = render_baseline_list(
      "baselines/food101", six_campaigns(),
      {{"2026-11-05T09:00:00Z", "1 2 3 4 5"}, {"2026-11-06T09:00:00Z", "1 2 3 4 5"}}, five_pinned(),
      100);
  testing::expect_golden("baseline/list.txt", text);
}

TEST(BaselineText, ShowsWhatIsPinnedAndWhatItCanSee) {
  testing::expect_golden("baseline/show.txt",
                         render_baseline("baselines/food101", five_pinned(), 100));
}

TEST(BaselineText, SaysWhatAnEmptyOrUnpinnedStoreNeeds) {
  EXPECT_EQ(render_baseline_list("store", {}, {}, {}, 100), "store holds no campaign\n");
  PinnedBaseline unpinned;
  unpinned.stored = 6;
  EXPECT_THAT(render_baseline_list("store", six_campaigns(), {}, unpinned, 100),
              HasSubstr("Nothing is pinned: traceml-bench baseline pin store CAMPAIGN..."));
  EXPECT_THAT(render_baseline("store", unpinned, 200),
              HasSubstr("6 campaigns stored, none pinned; pin five or more"));
}

TEST(BaselineText, SaysWhatAGateCanSeeOrLacks) {
  const CampaignFacts ratio = stored::facts_of(), raw = stored::facts_of_raw();
  EXPECT_EQ(stored_power_line(ratio, ratio.stored_gates[0], five_pinned()),
            "shipped against baselines/food101 (pin 2, 5 campaigns) can see a change of 0.28 % of "
            "its ratio to reference, and one of 0.27 % of the wall per step of reference");
  EXPECT_EQ(stored_power_line(raw, raw.stored_gates[0], five_pinned()),
            "reference against baselines/food101 (pin 2, 5 campaigns) can see a change of 0.27 % "
            "of its wall per step");
  EXPECT_EQ(stored_power_line(ratio, ratio.stored_gates[0], {}),
            "shipped against baselines/food101: no verdict yet: 0 campaigns stored, 0 pinned, and "
            "a verdict needs 5");
}

}  // namespace
}  // namespace traceml
