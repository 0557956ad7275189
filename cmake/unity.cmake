# Sources of a target compiled some at once: most of what a small source costs is the headers and templates that it shares with its
# neighbours. ./run builds so, which compiles a new tree once; who works on Atoll compiles one source at a time, and the linter reads
# the commands of single sources.
option(ATOLL_UNITY "compile several sources of a target at once: quicker from nothing, slower after a change" OFF)

# atoll_unity(TARGET [EXCEPT source ...]): the target may be compiled so, but for sources whose local names others of it have too.
# That no more names clash, whichever sources come together, tests/architecture/unity_sources checks by these lists.
function(atoll_unity target)
  cmake_parse_arguments(PARSE_ARGV 1 UNITY "" "" "EXCEPT")
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(REMOVE_ITEM sources ${UNITY_EXCEPT})
  list(TRANSFORM sources PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  list(JOIN sources "\n" lines)
  file(WRITE ${PROJECT_BINARY_DIR}/unity/${target}.txt "${lines}\n")
  if(ATOLL_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
    set_source_files_properties(${UNITY_EXCEPT} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()
