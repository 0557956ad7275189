// Drawn pixels are in memory when something looks at it or changes it, and when the submission ends.
#include "gpu/r5xx/packets/register_writes.h"
#include "tests/gpu/r5xx/scene.h"

namespace Atoll::r5xx::test {
namespace {

constexpr std::array<float, 4> white = {1, 1, 1, 1}, half = {128 / 255.0f, 128 / 255.0f, 128 / 255.0f, 128 / 255.0f};

// One plus one, so that a rectangle is drawn and not filled.
void add_blended(Stream& s) {
  using B = RB3D_BLENDCNTL;
  s.set(B::address(), B::ALPHA_BLEND_ENABLE::of(1) | B::READ_ENABLE::of(1) | B::SRCBLEND::of(B::SRCBLEND::D3D_ONE) |
                          B::DESTBLEND::of(B::DESTBLEND::D3D_ONE));
}

TEST(R5xxWriteBack, RegistersThatDoMoreThanSetState) {
  for (uint32_t address :
       {RB3D_DSTCACHE_CTLSTAT::address(), ZB_ZCACHE_CTLSTAT::address(), WAIT_UNTIL::address(), ZB_ZPASS_ADDR::address(),
        SCRATCH_REG::address(3), CP_IB_BUFSZ::address(), DST_HEIGHT_WIDTH::address()})
    EXPECT_TRUE(writes_back(address)) << address;
  for (uint32_t address : {RB3D_COLOROFFSET::address(0), ZB_CNTL::address(), VAP_VF_CNTL::address(), VAP_PORT_DATA::address(0),
                           GA_US_VECTOR_DATA::address(), TX_ENABLE::address()})
    EXPECT_FALSE(writes_back(address)) << address;
}

// Counts and values that the stream writes over what was drawn stay, and are what the next draw finds.
TEST(R5xxWriteBack, WritesOverWhatWasDrawn) {
  Scene scene;
  const uint32_t first = uint32_t(scene.target.gpu_address);
  add_blended(scene.stream);
  scene.whole(half);
  scene.stream.set(SCRATCH_ADDR::address(), first).set(SCRATCH_UMSK::address(), 1);
  scene.stream.set(SCRATCH_REG::address(0), 0x01020304);
  scene.whole(half);
  scene.run();
  EXPECT_EQ(scene.at(0, 0), 0x81828384u);
  EXPECT_EQ(scene.at(1, 0), 0xffffffffu);
}

TEST(R5xxWriteBack, SamplesPassedOverWhatWasDrawn) {
  Scene scene;
  add_blended(scene.stream);
  scene.whole(half);
  scene.stream.set(SU_REG_DEST::address(), 1).set(ZB_ZPASS_ADDR::address(), uint32_t(scene.target.gpu_address));
  scene.run();
  EXPECT_NE(scene.at(0, 0), scene.at(1, 0));
  EXPECT_NE(scene.at(1, 0), 0u);
}

// The same memory with other scissors, and as depth.
TEST(R5xxWriteBack, OtherTargetsOverTheSameMemory) {
  Scene scene;
  add_blended(scene.stream);
  scene.whole({0.25f, 0.25f, 0.25f, 0.25f});
  scene.stream.set(SC_SCISSOR0::address(), {0, 15u << 13 | 31});
  scene.whole({0.25f, 0.25f, 0.25f, 0.25f});
  scene.stream.set(SC_SCISSOR0::address(), {0, (Scene::height - 1) << 13 | (Scene::width - 1)});
  scene.whole({0.25f, 0.25f, 0.25f, 0.25f});
  scene.run();
  EXPECT_EQ(scene.at(31, 15), 0xc0c0c0c0u);
  EXPECT_EQ(scene.at(32, 15), 0x80808080u);
  EXPECT_EQ(scene.at(31, 16), 0x80808080u);
}

TEST(R5xxWriteBack, AQueueThatIsLostHasDrawnBefore) {
  Scene scene;
  add_blended(scene.stream);
  scene.whole(white);
  scene.stream.words.push_back(1u << 30);  // a packet of type 1
  EXPECT_FALSE(scene.machine.run(scene.stream));
  EXPECT_EQ(scene.at(63, 31), ~0u);
}

TEST(R5xxWriteBack, WhoLooksAfterEachDraw) {
  Scene scene;
  std::vector<unsigned> shown;
  scene.machine.device->after_draw = [&](uint64_t, gpu::DrawnInto& into) {
    auto pictures = into.pictures();
    ASSERT_EQ(pictures.size(), 1u);
    shown.push_back(pictures[0].rgba[0]);
  };
  add_blended(scene.stream);
  for (int n = 0; n < 3; n++) scene.whole({0.25f, 0.25f, 0.25f, 0.25f});
  scene.run();
  EXPECT_EQ(shown, (std::vector<unsigned>{0x40, 0x80, 0xc0}));
}

// Another queue of the device draws, and ends, while somebody looks at what the first has drawn.
TEST(R5xxWriteBack, WhoLooksSeesTheDrawThatItWasCalledFor) {
  Scene scene;
  auto other = std::make_unique<Scene>();
  other->machine.queue = *scene.machine.device->make_queue(gpu::QueueKind::graphics, *other->machine.space);
  other->whole(white);
  scene.whole(half);
  std::vector<unsigned> shown;
  scene.machine.device->after_draw = [&](uint64_t, gpu::DrawnInto& into) {
    if (auto drawing = std::move(other))
      std::thread([&] {
        drawing->run();
        drawing.reset();
      }).join();
    auto pictures = into.pictures();
    ASSERT_EQ(pictures.size(), 1u);
    shown.push_back(pictures[0].rgba[0]);
  };
  scene.run();
  EXPECT_EQ(shown, (std::vector<unsigned>{0xff, 0x80}));
}

}  // namespace
}  // namespace Atoll::r5xx::test
