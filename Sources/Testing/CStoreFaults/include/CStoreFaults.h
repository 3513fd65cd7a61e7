#ifndef CSTOREFAULTS_H
#define CSTOREFAULTS_H

/// What is done with a file, as bits.
enum {
    CStoreFaultsRead = 1,
    /// Writing, making longer or shorter, and deleting.
    CStoreFaultsWrite = 2,
    CStoreFaultsSynchronize = 4,
    /// Locking it to write.
    CStoreFaultsLock = 8,
};

/// In place of SQLite's code: the process ends as if somebody had killed it.
enum { CStoreFaultsKilled = -1 };

/// Puts a layer below SQLite, for all files that are opened from now on, which lets everything through until it is told
/// otherwise of a database. Gives SQLite's code.
int CStoreFaultsInstall(void);

/// Has operations on a database's files fail: on the file at the path, its log, its journal and its shared memory.
///
/// - operations: Which ones, as bits.
/// - code: What they answer with, or CStoreFaultsKilled. A write is carried out by half.
/// - after: How many are let through before.
/// - times: How many fail then; all when it is negative.
///
/// Gives a number above 0 for CStoreFaultsEnd, or 0 where there is no memory or the path is none.
int CStoreFaultsBegin(const char *path, int operations, int code, long long after, long long times);

/// Lets the operations through again, and says how many there were and how many failed.
void CStoreFaultsEnd(int number, long long *seen, long long *failed);

#endif
