# Sources of a target compiled some at once: most of what a small source costs is the headers and templates that it shares with its
# neighbours. ./run builds so, which compiles a new tree once; who works on Atoll compiles one source at a time, and the linter reads
# the commands of single sources.
option(ATOLL_UNITY "compile several sources of a target at once: quicker from nothing, slower after a change" OFF)

# Sources that have local names in common with others of their target. That no more names clash, whichever sources come together,
# tests/architecture/unity_sources checks.
set(ATOLL_COMPILED_ALONE
  src/cli/main.cpp
  src/cli/triangle.cpp
  src/cli/version.cpp
  src/drm/core/syncobj.cpp
  src/drm/radeon/submit.cpp
  src/gpu/dg1/launch/launch.cpp
  src/gpu/dg1/threads/not_yet.cpp
  src/gpu/dg1/threads/thread_groups.cpp
  src/gpu/r5xx/draw/vertex_stage.cpp
  src/gpu/r5xx/packets/vertex_port.cpp
  src/gpu/r5xx/shaders/routing.cpp
  src/gpu/r5xx/shaders/textures.cpp
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
  src/isa/gfx7/buffer_format.cpp
  src/isa/gfx7/decode.cpp
  src/isa/gfx7/fidelity.cpp
  src/isa/gfx7/parse_attempt.cpp
  src/isa/rdna4/semantics/ray_node.cpp
  src/isa/rdna4/semantics/ray_primitive.cpp
  src/isa/rdna4/semantics/ray_triangle.cpp
  src/isa/rdna4/semantics/wmma_whole.cpp
  src/pipeline/front/setup.cpp)

# atoll_unity(TARGET): the target may be compiled so. (Not what is compiled once a level or for the recorder: headers of semantics list
# their entries by macros of the same names.)
function(atoll_unity target)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(TRANSFORM sources PREPEND "${folder}/" REGEX "^[^/]")
  set(alone ${sources})
  list(FILTER alone INCLUDE REGEX "^${PROJECT_BINARY_DIR}/")  # tables that are generated
  list(TRANSFORM ATOLL_COMPILED_ALONE PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE named)
  list(APPEND alone ${named})
  list(REMOVE_ITEM sources ${alone})
  list(LENGTH sources count)
  if(count LESS 2)
    return()
  endif()
  list(JOIN sources "\n" lines)
  file(WRITE ${PROJECT_BINARY_DIR}/unity/${target}.txt "${lines}\n")
  if(ATOLL_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
    set_source_files_properties(${alone} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()
