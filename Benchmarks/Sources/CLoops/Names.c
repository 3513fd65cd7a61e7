#include "CLoops.h"

int CLoopsReadNames(sqlite3_stmt *statement, const int64_t *identifiers, size_t count, uint64_t *sum) {
    for (size_t index = 0; index < count; index++) {
        sqlite3_bind_int64(statement, 1, identifiers[index]);
        int code = sqlite3_step(statement);
        if (code != SQLITE_ROW) {
            return code;
        }
        const unsigned char *text = sqlite3_column_text(statement, 0);
        uint64_t length = (uint64_t)sqlite3_column_bytes(statement, 0);
        *sum = *sum * 31 + length + (length > 0 ? text[length - 1] : 0);
        sqlite3_reset(statement);
    }
    return SQLITE_DONE;
}
