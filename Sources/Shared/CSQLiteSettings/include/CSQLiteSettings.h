#ifndef CSQLITESETTINGS_H
#define CSQLITESETTINGS_H

/// Turns one of SQLite's settings of a connection on or off, SQLITE_DBCONFIG_DEFENSIVE say; gives SQLite's code.
///
/// Swift cannot call sqlite3_db_config, which takes other arguments for each setting.
int CSQLiteSet(void *connection, int setting, int isOn);

#endif
