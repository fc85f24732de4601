// REPORT-5: what got better or worse between two reports.
#include <gtest/gtest.h>

#include "gnomon/oracle/cli_test.h"
#include "gnomon/oracle/strict_json.h"

namespace gnomon::oracle {
namespace {

Json Recording(const std::string& id, const std::string& verdict, const Json& profile,
               const Json& largest, const std::string& file = "a.safetensors") {
  return {{"file", file},
          {"case", id},
          {"verdict", verdict},
          {"profile", profile},
          {"format", "f32"},
          {"operation", "rope.apply"},
          {"largest_error", largest},
          {"histogram", {{"unit", "u S"}}}};
}
Json Recordings(const std::vector<Json>& list) {
  return {{"schema", 1}, {"kind", "recordings"}, {"recordings", list}};
}
Json Named(const std::string& subject, const std::vector<Json>& properties) {
  return {{"subject", subject}, {"properties", properties}};
}
Json Subjects(const std::vector<Json>& subjects) {
  return {{"schema", 1}, {"kind", "subjects"}, {"subjects", subjects}};
}
Json Subject(const std::vector<Json>& properties) { return Subjects({Named("mine", properties)}); }

// The last digits of a real may be another machine's.
Json WithoutReals(Json json) {
  if (json.is_number_float()) return 0;
  if (json.is_structured())
    for (Json& member : json) member = WithoutReals(member);
  return json;
}
bool SameButForReals(const std::string& a, const std::string& b) {
  return WithoutReals(ParseStrictly(a, "a", "REPORT-2")) ==
         WithoutReals(ParseStrictly(b, "b", "REPORT-2"));
}

class DiffTest : public CliTest {
 protected:
  Answer Diff(const Json& before, const Json& after) const {
    return Gnomon({"diff", Write("before", before.dump()), Write("after", after.dump())});
  }
  // One result on either side, and the first line about it.
  void Expect(const Json& before, const Json& after, int code, const std::string& line) const {
    const Answer run = Diff(Recordings({before}), Recordings({after}));
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_EQ(run.out.substr(0, run.out.find('\n')), line);
  }
};

TEST_F(DiffTest, AResultIsWorseOrBetter) {
  const Json good = Recording("c1", "conforms", "standard", 2.5);
  const std::string title = "rope.apply/c1/f32 (a.safetensors): ";
  Expect(good, good, 0, "0 worse, 0 better, 1 the same, 0 new");
  const auto both = [&](const Json& worse, const std::string& there, const std::string& back) {
    Expect(good, worse, 1, "worse   " + title + there);
    Expect(worse, good, 0, "better  " + title + back);
  };
  both(Recording("c1", "nonconforming", nullptr, 2.5), "nonconforming, was conforms",
       "conforms, was nonconforming");
  both(Recording("c1", "nothing run", nullptr, 2.5), "nothing run, was conforms",
       "conforms, was nothing run");
  both(Recording("c1", "conforms", "f32-angle", 2.5), "meets f32-angle, was standard",
       "meets standard, was f32-angle");
  both(Recording("c1", "conforms", "standard", 2.75), "errs by 2.75 u S, was 2.5 u S",
       "errs by 2.5 u S, was 2.75 u S");
  both(Recording("c1", "conforms", "standard", "inf"), "errs by inf u S, was 2.5 u S",
       "errs by 2.5 u S, was inf u S");
  // Better in one respect, worse in another.
  Expect(good, Recording("c1", "conforms", "rounded", 3), 1,
         "worse   " + title + "meets rounded, was standard; errs by 3 u S, was 2.5 u S");
}

TEST_F(DiffTest, MissingIsWorseAndNewIsWorseOnlyIfItFails) {
  const Json a = Recording("c1", "conforms", "standard", 1),
             b = Recording("c2", "conforms", "standard", 1);
  const Json bad = Recording("c2", "nonconforming", nullptr, 9);
  EXPECT_EQ(Diff(Recordings({a, b}), Recordings({a})).out,
            "worse   rope.apply/c2/f32 (a.safetensors): is missing, was conforms\n"
            "1 worse, 0 better, 1 the same, 0 new\n");
  EXPECT_EQ(Diff(Recordings({a, b}), Recordings({a})).code, 1);
  EXPECT_EQ(Diff(Recordings({a}), Recordings({a, b})).out,
            "new     rope.apply/c2/f32 (a.safetensors): conforms\n"
            "0 worse, 0 better, 1 the same, 1 new\n");
  EXPECT_EQ(Diff(Recordings({a}), Recordings({a, b})).code, 0);
  EXPECT_EQ(Diff(Recordings({a}), Recordings({a, bad})).code, 1);
  for (const std::string verdict : {"nothing run", "refused", "crashed"})
    EXPECT_EQ(Diff(Recordings({a}), Recordings({a, Recording("c2", verdict, nullptr, {})})).code, 1)
        << verdict;
  const auto property = [](const std::string& name, const std::string& status) {
    return Json{{"name", name}, {"status", status}};
  };
  const Json holds = property("p", "holds");
  for (const std::string status : {"starved", "not run", "crashes", "fails"})
    EXPECT_EQ(Diff(Subject({holds}), Subject({holds, property("q", status)})).code, 1) << status;
  EXPECT_EQ(Diff(Subject({holds}), Subject({holds, property("q", "not applicable")})).code, 0);
}

TEST_F(DiffTest, RefusedIsWorseThanCrashed) {
  const Json crashed = Recording("c1", "crashed", nullptr, {});
  Expect(crashed, Recording("c1", "refused", nullptr, {}), 1,
         "worse   rope.apply/c1/f32 (a.safetensors): refused, was crashed");
}

TEST_F(DiffTest, AFileCountsOnlyWhereAnIdOccursTwice) {
  const Json a = Recording("c1", "conforms", "standard", 1, "a"),
             moved = Recording("c1", "conforms", "standard", 1, "b");
  EXPECT_EQ(Diff(Recordings({a}), Recordings({moved})).code, 0);
  const Json bad = Recording("c1", "nonconforming", nullptr, 1, "b");
  EXPECT_EQ(Diff(Recordings({a, moved}), Recordings({a, bad})).out,
            "worse   rope.apply/c1/f32 (b): nonconforming, was conforms\n"
            "1 worse, 0 better, 1 the same, 0 new\n");
}

TEST_F(DiffTest, PropertiesOfSubjects) {
  const auto status = [](const char* is) {
    return Subject({Json{{"name", "rope.norm"}, {"status", is}}});
  };
  EXPECT_EQ(Diff(status("holds"), status("fails")).out,
            "worse   mine  rope.norm: fails, was holds\n1 worse, 0 better, 0 the same, 0 new\n");
  for (const char* worse : {"not applicable", "starved", "not run", "fails", "crashes"}) {
    EXPECT_EQ(Diff(status("holds"), status(worse)).code, 1) << worse;
    EXPECT_EQ(Diff(status(worse), status("holds")).code, 0) << worse;
  }
  EXPECT_EQ(Diff(status("crashes"), status("fails")).code, 0);
}

TEST_F(DiffTest, OneTargetOfSeveral) {
  const auto property = [](const char* is) {
    return std::vector<Json>{Json{{"name", "rope.norm"}, {"status", is}}};
  };
  const Json before =
      Subjects({Named("own:AVX2", property("holds")), Named("own:SSE", property("fails"))});
  const Json after =
      Subjects({Named("own:AVX2", property("fails")), Named("own:SSE", property("fails"))});
  EXPECT_EQ(Diff(before, after).out,
            "worse   own:AVX2  rope.norm: fails, was holds\n"
            "own:AVX2  1 worse, 0 better, 0 the same, 0 new\n"
            "own:SSE   0 worse, 0 better, 1 the same, 0 new\n"
            "1 worse, 0 better, 1 the same, 0 new\n");
  // One of each, whatever they are called.
  EXPECT_EQ(Diff(Subjects({Named("old.so", property("holds"))}),
                 Subjects({Named("new.so", property("fails"))}))
                .out,
            "worse   new.so  rope.norm: fails, was holds\n1 worse, 0 better, 0 the same, 0 new\n");
  // The same cases asked of two targets are two results.
  const auto asked = [](const char* subject, const char* verdict) {
    Json recording = Recording("c1", verdict, nullptr, 1);
    recording["subject"] = subject;
    return recording;
  };
  const Json both = Recordings({asked("a", "conforms"), asked("b", "conforms")});
  EXPECT_EQ(Diff(both, both).code, 0);
  EXPECT_EQ(Diff(Recordings({asked("a", "nonconforming"), asked("b", "conforms")}), both).out,
            "better  a  rope.apply/c1/f32 (a.safetensors): conforms, was nonconforming\n"
            "a  0 worse, 1 better, 0 the same, 0 new\n"
            "b  0 worse, 0 better, 1 the same, 0 new\n"
            "0 worse, 1 better, 1 the same, 0 new\n");
}

TEST_F(DiffTest, TheErrorOfAProperty) {
  const auto errs = [](const Json& largest) {
    return Subject({Json{{"name", "rope.norm"}, {"status", "fails"}, {"largest_error", largest}}});
  };
  EXPECT_EQ(Diff(errs(3), errs("inf")).out,
            "worse   mine  rope.norm: errs by inf of the bound, was 3 of the bound\n"
            "1 worse, 0 better, 0 the same, 0 new\n");
  EXPECT_EQ(Diff(errs(3), errs(2.5)).code, 0);
}

TEST_F(DiffTest, WhatIsNoReportIsRefused) {
  const std::string good = Write("good", Recordings({}).dump());
  const auto refused = [&](const std::string& text, const std::string& message) {
    ExpectRefused({"diff", good, Write("bad", text)}, message);
    ExpectRefused({"diff", Write("bad", text), good}, message);
  };
  refused("", "JSON cannot be read");
  refused("{}", "is no report of gnomon check --json (REPORT-2)");
  refused("[]", "is no report of gnomon check --json (REPORT-2)");
  refused(R"({"schema":2,"kind":"recordings"})", "has schema 2; this gnomon reads 1 (REPORT-2)");
  refused(R"({"schema":1,"kind":"verdicts"})", "kind \"verdicts\" is not known (REPORT-2)");
  refused(R"({"schema":1,"kind":"recordings"})", "is no report as REPORT-2 has it");
  refused(R"({"schema":1,"kind":3})", "is no report as REPORT-2 has it");
  refused(Recordings({Recording("a", "fine", nullptr, 1)}).dump(), "status \"fine\" is not known");
  refused(Recordings({Recording("a", "conforms", "best", 1)}).dump(),
          "profile \"best\" is not known");
  ExpectRefused({"diff", good, Write("other", Subject({}).dump())}, "(REPORT-5)");
  ExpectRefused({"diff", good}, "NEW = (missing)");
}

// What gnomon itself writes, down to the examples of the manual.
TEST_F(DiffTest, ReadsWhatCheckWrites) {
  const std::string relative = "oracle/examples/llama_query.safetensors";
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(GNOMON_SOURCE_DIR);
  const std::string one = Gnomon({"check", relative, "--json"}).out,
                    two = Gnomon({"check", relative, "--json", "--profile", "standard"}).out;
  const auto example = [](const std::string& name) {
    std::ifstream file(kExamples / "reports" / name);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_TRUE(SameButForReals(example("before.json"), one))
      << "make it anew: gnomon check " << relative << " --json";
  EXPECT_TRUE(SameButForReals(example("after.json"), two)) << "the same with --profile standard";
  std::filesystem::current_path(before);
  const Answer run = Gnomon({"diff", Write("one", one), Write("two", two)});
  EXPECT_EQ(run.code, 1) << run.err;
  EXPECT_TRUE(
      run.out.ends_with(": nonconforming, was conforms\n1 worse, 0 better, 0 the same, 0 new\n"))
      << run.out;
  const std::string subjects =
      Write("subjects", Gnomon({"check", "--subject", "reference", "--cases", "1", "--json"}).out);
  EXPECT_EQ(Gnomon({"diff", subjects, subjects}).code, 0);
}

}  // namespace
}  // namespace gnomon::oracle
