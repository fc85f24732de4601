// ctest: recordings
// Every recording of somebody else's implementation meets exactly the profile that the index
// states.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "gnomon/oracle/case_file.h"
#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/files.h"
#include "gnomon/oracle/report.h"
#include "gnomon/oracle/strict_json.h"

namespace gnomon::oracle {
namespace {

const std::string kFolder = GNOMON_SOURCE_DIR "/oracle/recordings/";

std::vector<Json> Index() {
  return ParseStrictly(ReadFile(kFolder + "INDEX.json").text(), "INDEX.json", "CASE-7");
}

class RecordingTest : public testing::TestWithParam<Json> {};

TEST_P(RecordingTest, MeetsItsProfile) {
  const Json& entry = GetParam();
  const Recording recording = ReadCaseFile(kFolder + entry["file"].get<std::string>());
  const reference::Judgement judgement = reference::Judge(recording.c, recording.outputs);
  const Report report(recording, judgement, Demand{});
  const std::string again = "gnomon check oracle/recordings/" + entry["file"].get<std::string>();
  const Json met = report.met ? Json(kProfiles[*report.met].name) : Json(nullptr);
  EXPECT_EQ(met, entry["profile"]) << report.Text() << "\nrepeat: " << again;

  // What the index says beside it.
  EXPECT_EQ(Json(CaseId(recording.c)), entry["case"]) << again;
  EXPECT_EQ(Json(judgement.elements), entry["elements"]) << again;
  const reference::ProfileResult& standard = judgement.profiles[*ProfileFromName("standard")];
  EXPECT_EQ(Json(standard.outside), entry["outside_standard"]) << again;
  const Json departs = standard.outside_from ? Json(*standard.outside_from) : Json(nullptr);
  EXPECT_EQ(departs, entry["departs_at_position"]) << again;
  EXPECT_EQ(judgement.ties, 0) << again;
}

INSTANTIATE_TEST_SUITE_P(All, RecordingTest, testing::ValuesIn(Index()), [](const auto& info) {
  const std::string file = info.param["file"];
  return file.substr(0, file.find('.'));
});

TEST(RecordingsTest, TheIndexListsEveryFile) {
  std::set<std::string> listed, there, recordings;
  for (const Json& entry : Index()) {
    listed.insert(entry["file"]);
    recordings.insert(entry["recording"]);
    for (const char* key : {"producer", "version", "reason"})
      EXPECT_FALSE(entry[key].get<std::string>().empty()) << entry;
  }
  for (const auto& file : std::filesystem::directory_iterator(kFolder))
    if (file.path().extension() == ".safetensors") there.insert(file.path().filename());
  EXPECT_EQ(listed, there);
  EXPECT_EQ(recordings.size(), 108u);
}

}  // namespace
}  // namespace gnomon::oracle
