#pragma once
#include <stdint.h>

/// Allocations the calling thread has made so far, by malloc, calloc, realloc and the aligned forms.
uint64_t allocation_count_of_this_thread(void);
