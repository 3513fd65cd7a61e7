#include "CLoops.h"

int CLoopsOpen(const char *path, const char *settings, const char *query) {
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    int rows = -1;
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK &&
        sqlite3_exec(database, settings, NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(database, query, -1, &statement, NULL) == SQLITE_OK) {
        int code;
        rows = 0;
        while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
            rows++;
        }
        if (code != SQLITE_DONE) {
            rows = -1;
        }
    }
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return rows;
}
