#include "CLoops.h"
#include <stdatomic.h>

static atomic_size_t statements;

static int count(unsigned type, void *context, void *statement, void *sql) {
    // SQLite reports statements that others run, those of triggers for instance, as comments.
    const char *text = sql;
    if (text == NULL || text[0] != '-' || text[1] != '-') atomic_fetch_add(&statements, 1);
    return 0;
}

static int begin(sqlite3 *database, char **error, const void *routines) {
    return sqlite3_trace_v2(database, SQLITE_TRACE_STMT, count, NULL);
}

void CLoopsCountStatements(void) { sqlite3_auto_extension((void (*)(void))begin); }

size_t CLoopsStatements(void) { return atomic_load(&statements); }
