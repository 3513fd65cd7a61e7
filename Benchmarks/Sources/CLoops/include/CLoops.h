#ifndef CLOOPS_H
#define CLOOPS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes that a post owns; `bytes` is NULL for a value that is NULL.
typedef struct {
    void *bytes;
    size_t count;
} CLoopsBytes;

/// A post as a C program keeps it.
typedef struct {
    int64_t id;
    double latitude;
    double longitude;
    double timestamp;
    int64_t likes;
    /// 0 for a post without author.
    int64_t author;
    CLoopsBytes image;
    CLoopsBytes palette;
    CLoopsBytes text;
    CLoopsBytes title;
    bool favorite;
} CLoopsPost;

typedef struct {
    CLoopsPost *posts;
    size_t count;
    size_t capacity;
} CLoopsPosts;

/// An identity map: a table with open addressing, and its objects in the order of their registration.
typedef struct {
    CLoopsPost **objects;
    size_t count;
    size_t capacity;
    uint32_t *slots;
    unsigned bits;
} CLoopsMap;

/// Lets the allocator keep what is freed, so that no round pays for pages that the last one gave back.
void CLoopsSteadyHeap(void);

/// The bytes that are allocated; 0 where the C library does not tell.
size_t CLoopsHeapBytes(void);

/// Counts the statements of all connections that are opened from now on, without those that others run, as triggers and
/// full-text indexes do.
void CLoopsCountStatements(void);
/// The number of statements so far.
size_t CLoopsStatements(void);

/// Runs a function. Everything that is measured runs inside, so that a profiler can be told to look at nothing else:
/// `valgrind --tool=callgrind --collect-atstart=no --toggle-collect=CLoopsMeasured`.
void CLoopsMeasured(void (*body)(void *), void *context);

/// A number that any change of any property changes; the identifier is left out.
uint64_t CLoopsPostChecksum(const CLoopsPost *post);
/// The same over a store's posts, with their identifiers and versions.
uint64_t CLoopsStoreChecksum(sqlite3 *database);

// Each loop runs a prepared statement and returns SQLite's code, SQLITE_DONE when all is well. Statements that read
// select identifier and version, and then the properties in the order of their names, the author last.

int CLoopsFetchValues(sqlite3_stmt *statement, CLoopsPosts *result);
void CLoopsReleaseValues(CLoopsPosts *posts);

/// Appends the object of each row to a list with room for it; a registered object is taken as it is.
int CLoopsFetchObjects(sqlite3_stmt *statement, CLoopsMap *map, CLoopsPost **result, size_t *count);
/// The object of each identifier, from the map or by a statement with one parameter.
int CLoopsLookUp(
    sqlite3_stmt *statement, CLoopsMap *map, const int64_t *identifiers, size_t count, CLoopsPost **result);
CLoopsMap CLoopsMakeMap(void);
void CLoopsReleaseMap(CLoopsMap *map);

/// Reads the text in the first column of each row, each by itself, into a number that depends on all and their order.
int CLoopsReadNames(sqlite3_stmt *statement, const int64_t *identifiers, size_t count, uint64_t *sum);
/// Opens a database, runs its settings and a query and closes it; the number of rows, or -1 where something failed.
int CLoopsOpen(const char *path, const char *settings, const char *query);

int CLoopsInsert(sqlite3_stmt *statement, const CLoopsPosts *posts);
/// Adds one to the likes of each post.
int CLoopsUpdate(sqlite3_stmt *statement, CLoopsPosts *posts);
int CLoopsDelete(sqlite3_stmt *statement, const CLoopsPosts *posts);

#endif
