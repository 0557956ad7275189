# cmake -DSOURCE=DIR -DCOMMIT=TEXT -DOUTPUT=FILE -P write_commit.cmake: the header that says from what the sources were built: COMMIT, or what git says of SOURCE. It is
# written where it changes alone, so that nothing is compiled again for an old commit.
set(commit "${COMMIT}")
if(commit STREQUAL "" AND EXISTS ${SOURCE}/.git)
  # (A package may be built by another user than the tree's.)
  execute_process(COMMAND git -c safe.directory=* -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
endif()
if(commit STREQUAL "")
  set(commit "unknown: not built from a git tree")
endif()
set(text "#define ATOLL_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
