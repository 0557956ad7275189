// How large entries of the URB may be.
#include "gpu/dg1/draw/urb.h"

#include <functional>

#include "stage_machine.h"

namespace {

using namespace Atoll;
using namespace Atoll::dg1_tests;
using namespace Atoll::dg1::commands;

// A draw may not have entries that do not fit into the URB: for each stage and both of its commands, by name.
TEST(Urb, EntriesBeyondItsSize) {
  struct Case {
    const char* name;
    std::function<void(StageMachine&, uint32_t entries, uint32_t rows)> set;
    uint32_t entries, rows;  // as many as there is room for: of 768 KiB
  };
  auto enable = []<class Command>(StageMachine& m) { m.set<Command>([](uint32_t* w) { Command::Enable::set(w, 1); }); };
  const Case cases[] = {{"3DSTATE_URB_VS",
                         [](StageMachine& m, uint32_t entries, uint32_t rows) {
                           m.set<_3DSTATE_URB_VS>([&](uint32_t* w) {
                             _3DSTATE_URB_VS::VS_Number_of_URB_Entries::set(w, entries);
                             _3DSTATE_URB_VS::VS_URB_Entry_Allocation_Size::set(w, rows - 1);
                           });
                         },
                         3072, 4},
                        {"3DSTATE_URB_ALLOC_VS",
                         [](StageMachine& m, uint32_t entries, uint32_t rows) {
                           m.set<_3DSTATE_URB_ALLOC_VS>([&](uint32_t* w) {
                             _3DSTATE_URB_ALLOC_VS::VS_Number_of_URB_Entries_Slice0::set(w, entries);
                             _3DSTATE_URB_ALLOC_VS::VS_URB_Entry_Allocation_Size::set(w, rows - 1);
                           });
                         },
                         0, 192},  // (64 at least)
                        {"3DSTATE_URB_HS",
                         [&](StageMachine& m, uint32_t entries, uint32_t rows) {
                           enable.template operator()<_3DSTATE_HS>(m);
                           m.set<_3DSTATE_URB_HS>([&](uint32_t* w) {
                             _3DSTATE_URB_HS::HS_Number_of_URB_Entries::set(w, entries);
                             _3DSTATE_URB_HS::HS_URB_Entry_Allocation_Size::set(w, rows - 1);
                           });
                         },
                         24, 512},
                        {"3DSTATE_URB_DS",
                         [&](StageMachine& m, uint32_t entries, uint32_t rows) {
                           enable.template operator()<_3DSTATE_DS>(m);
                           m.set<_3DSTATE_URB_DS>([&](uint32_t* w) {
                             _3DSTATE_URB_DS::DS_Number_of_URB_Entries::set(w, entries);
                             _3DSTATE_URB_DS::DS_URB_Entry_Allocation_Size::set(w, rows - 1);
                           });
                         },
                         1, 361},  // (34 at least)
                        {"3DSTATE_URB_GS",
                         [&](StageMachine& m, uint32_t entries, uint32_t rows) {
                           enable.template operator()<_3DSTATE_GS>(m);
                           m.set<_3DSTATE_URB_GS>([&](uint32_t* w) {
                             _3DSTATE_URB_GS::GS_Number_of_URB_Entries::set(w, entries);
                             _3DSTATE_URB_GS::GS_URB_Entry_Allocation_Size::set(w, rows - 1);
                           });
                         },
                         64, 192}};
  for (const Case& c : cases)
    for (uint32_t more : {0u, 1u}) {
      StageMachine m(wave::EngineChoice::Interpreter);
      c.set(m, c.entries, c.rows == 512 ? c.rows : c.rows + more);
      if (c.rows == 512) c.set(m, c.entries + more, c.rows);
      EXPECT_EQ(dg1::has_urb_room(*m.context), !more) << c.name;
      EXPECT_EQ(m.context->report().find(c.name) != std::string::npos, more == 1) << c.name << ": " << m.context->report();
    }
}

}  // namespace
