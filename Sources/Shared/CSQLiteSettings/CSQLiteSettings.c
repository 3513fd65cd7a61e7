#include "CSQLiteSettings.h"

#include <sqlite3.h>
#include <stddef.h>

int CSQLiteSet(void *connection, int setting, int isOn) {
    return sqlite3_db_config((sqlite3 *)connection, setting, isOn, (int *)NULL);
}
