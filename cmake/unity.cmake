# Sources of a target compiled some at once: most of what a small source costs is the headers and templates that it shares with its
# neighbours. ./run and ./test begin a new tree so, which compile it once; who works on Atoll compiles one source at a time (a preset, or
# -DATOLL_UNITY=OFF).
option(ATOLL_UNITY "compile several sources of a target at once: quicker from nothing, slower after a change" OFF)

# Sources that have local names in common with others of their target. (Functions of one name and different parameters are no error, but
# a call that converts its arguments may find a neighbour's: they have names of their own.) That no more names clash, whichever sources come together,
# tests/architecture/unity_sources checks (minutes: in ./test --full; what comes together here fails in the build itself).
set(ATOLL_COMPILED_ALONE
  src/cli/main.cpp
  src/cli/triangle.cpp
  src/cli/version.cpp
  src/codeobject/amd_machines.cpp
  src/codeobject/code_object.cpp
  src/codeobject/metadata.cpp
  src/codeobject/patch_tokens.cpp
  src/codeobject/zebin.cpp
  src/drm/core/syncobj.cpp
  src/drm/radeon/submit.cpp
  src/eval/gfx7_target.cpp
  src/eval/r500_target.cpp
  src/eval/r500_vertex_target.cpp
  src/gpu/chips/kernel_facts.cpp
  src/gpu/dg1/launch/launch.cpp
  src/gpu/dg1/threads/not_yet.cpp
  src/gpu/dg1/threads/thread_groups.cpp
  src/gpu/gfx12/packets/packet_table.cpp
  src/gpu/gfx12/shaders/like_blocks.cpp
  src/gpu/gfx12/shaders/shaders.cpp
  src/gpu/r5xx/draw/vertex_stage.cpp
  src/gpu/r5xx/packets/vertex_port.cpp
  src/gpu/r5xx/shaders/routing.cpp
  src/gpu/r5xx/shaders/textures.cpp
  src/gpu/rdna4/image_formats.cpp
  src/gpu/sea_islands/draw/geometry_stage.cpp
  src/gpu/sea_islands/draw/raster_state.cpp
  src/gpu/sea_islands/draw/tessellation_stage.cpp
  src/gpu/sea_islands/packets/draw_packets.cpp
  src/gpu/sea_islands/packets/event_packets.cpp
  src/gpu/sea_islands/packets/packet_table.cpp
  src/gpu/sea_islands/packets/register_packets.cpp
  src/gpu/sea_islands/packets/rings.cpp
  src/gpu/sea_islands/shaders/descriptors.cpp
  src/gpu/sea_islands/shaders/image_formats.cpp
  src/isa/amd/buffer_texel.cpp
  src/isa/amd/swizzle.cpp
  src/isa/gfx7/buffer_format.cpp
  src/isa/gfx7/decode.cpp
  src/isa/gfx7/fidelity.cpp
  src/isa/gfx7/parse_attempt.cpp
  src/isa/gfx7/semantics/called_functions.cpp
  src/isa/r500/semantics/called_functions.cpp
  src/isa/rdna4/semantics/ray_node.cpp
  src/isa/rdna4/semantics/ray_primitive.cpp
  src/isa/rdna4/semantics/ray_triangle.cpp
  src/isa/rdna4/semantics/wmma_whole.cpp
  src/pipeline/front/setup.cpp
  src/pipeline/front/viewport_lanes.cpp
  src/pipeline/pixels/colour_write.cpp
  src/pipeline/pixels/interpolation.cpp
  src/pipeline/tiles/covered_blocks.cpp
  src/surface/astc.cpp
  src/surface/banked_tiling.cpp
  src/surface/bptc.cpp
  src/surface/etc.cpp
  src/surface/gfx12_mips.cpp
  src/surface/gfx12_tiling.cpp
  src/surface/planar_filter.cpp
  src/surface/sampler.cpp
  src/surface/texture.cpp
  src/surface/tile_metadata.cpp
  tests/cli/decode_test.cpp
  tests/drm/radeon_test.cpp
  tests/drm/sync_sharing_test.cpp
  tests/gpu/device/program_words_test.cpp
  tests/gpu/dg1/draw_targets_test.cpp
  tests/gpu/gfx12/geometry_shader_test.cpp
  tests/gpu/gfx12/mesh_shader_test.cpp
  tests/gpu/gfx12/tessellation_test.cpp
  tests/gpu/ledger/dg1_scene.cpp
  tests/gpu/ledger/gfx12_compute_scenes.cpp
  tests/gpu/ledger/r5xx_depth_scenes.cpp
  tests/gpu/ledger/r5xx_immediate_scenes.cpp
  tests/gpu/ledger/r5xx_input_scenes.cpp
  tests/gpu/ledger/r5xx_pixel_scenes.cpp
  tests/gpu/ledger/r5xx_ring_scenes.cpp
  tests/gpu/ledger/r5xx_scene.cpp
  tests/gpu/ledger/r5xx_scenes.cpp
  tests/gpu/ledger/r5xx_texture_scenes.cpp
  tests/gpu/ledger/r5xx_vertex_scenes.cpp
  tests/gpu/ledger/sea_islands_build.cpp
  tests/gpu/ledger/sea_islands_compute_scenes.cpp
  tests/gpu/ledger/sea_islands_onchip_scenes.cpp
  tests/gpu/ledger/sea_islands_scene.cpp
  tests/gpu/r5xx/blend_test.cpp
  tests/gpu/r5xx/clears_test.cpp
  tests/gpu/r5xx/clipping_test.cpp
  tests/gpu/r5xx/command_processor_test.cpp
  tests/gpu/r5xx/edge_rule_test.cpp
  tests/gpu/r5xx/primitives_test.cpp
  tests/gpu/r5xx/textures_test.cpp
  tests/gpu/r5xx/write_back_test.cpp
  tests/gpu/sea_islands/depth_state_test.cpp
  tests/gpu/sea_islands/export_state_test.cpp
  tests/gpu/sea_islands/fill_test.cpp
  tests/gpu/sea_islands/packet_address_test.cpp
  tests/gpu/sea_islands/position_export_test.cpp
  tests/gpu/sea_islands/surface_state_test.cpp
  tests/isa/rdna4/alu_exception_rules_test.cpp
  tests/isa/rdna4/ray_hostile_test.cpp
  tests/isa/rdna4/ray_triangles_test.cpp
  tests/registers/batch_usage_test.cpp)

# atoll_unity(TARGET): the target may be compiled so.
function(atoll_unity target)
  get_target_property(named_sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  list(FILTER named_sources INCLUDE REGEX "\\.cpp$")
  set(sources)
  foreach(source ${named_sources})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE)  # as compile_commands.json has it: of ../ nothing is left
    list(APPEND sources ${source})
  endforeach()
  set(alone ${sources})
  list(FILTER alone INCLUDE REGEX "^${PROJECT_BINARY_DIR}/")  # tables that are generated
  list(TRANSFORM ATOLL_COMPILED_ALONE PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE named)
  list(APPEND alone ${named})
  list(REMOVE_ITEM sources ${alone})
  list(LENGTH sources count)
  if(count LESS 2)
    file(REMOVE ${PROJECT_BINARY_DIR}/unity/${target}.txt)  # of the time when it had more
    return()
  endif()
  list(JOIN sources "\n" lines)
  # (Of the host levels one is checked: they have the same sources.)
  list(GET ATOLL_LEVELS -1 checked_level)
  string(REGEX MATCH "_(baseline|avx2|avx512)$" level ${target})
  if(NOT level OR CMAKE_MATCH_1 STREQUAL checked_level)
    file(WRITE ${PROJECT_BINARY_DIR}/unity/${target}.txt "${lines}\n")
  endif()
  if(ATOLL_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
    set_source_files_properties(${alone} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()
