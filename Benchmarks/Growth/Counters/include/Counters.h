#ifndef COUNTERS_H
#define COUNTERS_H

#include <stdint.h>

/// The work that the whole process did since it began.
typedef struct {
    /// Allocations of memory, those that only grow one included.
    int64_t allocations;
    /// Statements that SQLite began to run.
    int64_t statements;
    /// Texts that SQLite compiled.
    int64_t compilations;
    /// Instructions of SQLite's virtual machine.
    int64_t steps;
} GrowthCounts;

GrowthCounts GrowthCountsNow(void);

/// Prints each statement that begins to run to the standard error.
void GrowthPrintStatements(int prints);

/// Calls a function. valgrind counts the instructions of what it calls.
void GrowthMeasured(void (*function)(void *), void *context);

#endif
