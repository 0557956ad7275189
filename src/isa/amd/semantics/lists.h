// For groups with many instructions of one shape: a list names each with the expression that differs,
//   #define ATOLL_SHAPE_LIST(ROW, P) ROW(P, v_and_b32, a & b) ROW(P, v_or_b32, a | b)
// and is expanded twice: with a ROW that defines the templates, and with ATOLL_LIST_NAME to register their names.
#pragma once

#define ATOLL_LIST_NAME(ENTRY, name, ...) ENTRY(name)
