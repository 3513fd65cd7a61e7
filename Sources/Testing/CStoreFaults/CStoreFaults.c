#include "CStoreFaults.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/// A file, followed in memory by the file of the layer below.
typedef struct {
    sqlite3_file base;
    char path[1024];
} layered_file;

/// What is to fail.
typedef struct fault {
    struct fault *next;
    int number, operations, code;
    long long after, times, seen, failed;
    char path[1024];
} fault;

static sqlite3_vfs *below;
static sqlite3_vfs layer;
static sqlite3_mutex *lock;
static fault *faults;
static int last_number;
/// By the version of the methods of the file below.
static sqlite3_io_methods methods[4];

static sqlite3_file *under(sqlite3_file *file) { return (sqlite3_file *)((layered_file *)file + 1); }

/// Whether a path is that of a database or of what lies beside it.
static int is_of(const char *path, const char *database) {
    size_t length = strlen(database);
    return strncmp(path, database, length) == 0 && (path[length] == 0 || path[length] == '-');
}

/// Counts an operation; SQLITE_OK lets it through.
static int next_operation(const char *path, int operation) {
    int result = SQLITE_OK;
    if (!path) return result;
    sqlite3_mutex_enter(lock);
    for (fault *each = faults; each; each = each->next) {
        if (!(each->operations & operation) || !is_of(path, each->path)) continue;
        each->seen++;
        if (each->seen <= each->after || (each->times >= 0 && each->failed >= each->times)) continue;
        each->failed++;
        if (result == SQLITE_OK) result = each->code;
    }
    sqlite3_mutex_leave(lock);
    return result;
}

/// Whether reading a file may fail, so that it must not be mapped into memory.
static int may_fail_to_read(const char *path) {
    int result = 0;
    sqlite3_mutex_enter(lock);
    for (fault *each = faults; each; each = each->next)
        if ((each->operations & CStoreFaultsRead) && is_of(path, each->path)) result = 1;
    sqlite3_mutex_leave(lock);
    return result;
}

/// What an operation answers with, if the process is not to end.
static int answer(int code) {
    if (code != CStoreFaultsKilled) return code;
#ifdef SIGKILL
    (void)raise(SIGKILL);
#endif
    abort();
}

static int count(sqlite3_file *file, int operation) {
    return answer(next_operation(((layered_file *)file)->path, operation));
}

static int file_close(sqlite3_file *file) {
    return under(file)->pMethods ? under(file)->pMethods->xClose(under(file)) : SQLITE_OK;
}
static int file_read(sqlite3_file *file, void *buffer, int size, sqlite3_int64 offset) {
    int code = count(file, CStoreFaultsRead);
    return code ? code : under(file)->pMethods->xRead(under(file), buffer, size, offset);
}
static int file_write(sqlite3_file *file, const void *buffer, int size, sqlite3_int64 offset) {
    int code = next_operation(((layered_file *)file)->path, CStoreFaultsWrite);
    if (code == SQLITE_OK) return under(file)->pMethods->xWrite(under(file), buffer, size, offset);
    // A disk that fails has written a part, as SQLite must expect.
    if (size > 1) (void)under(file)->pMethods->xWrite(under(file), buffer, size / 2, offset);
    return answer(code);
}
static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int code = count(file, CStoreFaultsWrite);
    return code ? code : under(file)->pMethods->xTruncate(under(file), size);
}
static int file_synchronize(sqlite3_file *file, int flags) {
    int code = count(file, CStoreFaultsSynchronize);
    return code ? code : under(file)->pMethods->xSync(under(file), flags);
}
static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return under(file)->pMethods->xFileSize(under(file), size);
}
static int file_lock(sqlite3_file *file, int kind) {
    int code = kind >= SQLITE_LOCK_RESERVED ? count(file, CStoreFaultsLock) : SQLITE_OK;
    return code ? code : under(file)->pMethods->xLock(under(file), kind);
}
static int file_unlock(sqlite3_file *file, int kind) { return under(file)->pMethods->xUnlock(under(file), kind); }
static int file_check(sqlite3_file *file, int *result) {
    return under(file)->pMethods->xCheckReservedLock(under(file), result);
}
static int file_control(sqlite3_file *file, int operation, void *argument) {
    return under(file)->pMethods->xFileControl(under(file), operation, argument);
}
static int file_sector(sqlite3_file *file) { return under(file)->pMethods->xSectorSize(under(file)); }
static int file_characteristics(sqlite3_file *file) {
    return under(file)->pMethods->xDeviceCharacteristics(under(file));
}
static int file_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    int code = extend ? count(file, CStoreFaultsWrite) : SQLITE_OK;
    return code ? code : under(file)->pMethods->xShmMap(under(file), page, size, extend, memory);
}
static int file_shared_lock(sqlite3_file *file, int offset, int number, int flags) {
    // The first of the locks of a write-ahead log is the one of who writes.
    int writes = offset == 0 && (flags & SQLITE_SHM_LOCK) && (flags & SQLITE_SHM_EXCLUSIVE);
    int code = writes ? count(file, CStoreFaultsLock) : SQLITE_OK;
    return code ? code : under(file)->pMethods->xShmLock(under(file), offset, number, flags);
}
static void file_barrier(sqlite3_file *file) { under(file)->pMethods->xShmBarrier(under(file)); }
static int file_unmap(sqlite3_file *file, int remove) { return under(file)->pMethods->xShmUnmap(under(file), remove); }
static int file_fetch(sqlite3_file *file, sqlite3_int64 offset, int size, void **memory) {
    *memory = 0;
    if (may_fail_to_read(((layered_file *)file)->path)) return SQLITE_OK;
    return under(file)->pMethods->xFetch(under(file), offset, size, memory);
}
static int file_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *memory) {
    return under(file)->pMethods->xUnfetch(under(file), offset, memory);
}

static int layer_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out) {
    (void)vfs;
    layered_file *opened = (layered_file *)file;
    memset(opened, 0, sizeof(*opened));
    if (path && strlen(path) < sizeof(opened->path)) strcpy(opened->path, path);
    int code = below->xOpen(below, path, under(file), flags, out);
    if (under(file)->pMethods) {
        int version = under(file)->pMethods->iVersion;
        file->pMethods = &methods[version < 1 ? 1 : version > 3 ? 3 : version];
    }
    return code;
}

static int layer_delete(sqlite3_vfs *vfs, const char *path, int synchronize) {
    (void)vfs;
    int code = answer(next_operation(path, CStoreFaultsWrite));
    return code ? code : below->xDelete(below, path, synchronize);
}

static void fill_methods(void) {
    for (int version = 1; version <= 3; version++) {
        methods[version] = (sqlite3_io_methods){
            version,    file_close, file_read,    file_write,   file_truncate, file_synchronize,     file_size,
            file_lock,  file_unlock, file_check,  file_control, file_sector,   file_characteristics, file_map,
            file_shared_lock, file_barrier, file_unmap, file_fetch, file_unfetch,
        };
    }
}

int CStoreFaultsInstall(void) {
    int code = sqlite3_initialize();
    if (code != SQLITE_OK) return code;
    sqlite3_mutex *application = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP3);
    sqlite3_mutex_enter(application);
    if (!below) {
        sqlite3_vfs *found = sqlite3_vfs_find(0);
        if (!found) {
            code = SQLITE_ERROR;
        } else {
            lock = sqlite3_mutex_alloc(SQLITE_MUTEX_FAST);
            fill_methods();
            layer = *found;
            layer.pNext = 0;
            layer.zName = "ashlar-testing";
            layer.szOsFile = (int)sizeof(layered_file) + found->szOsFile;
            layer.xOpen = layer_open;
            layer.xDelete = layer_delete;
            below = found;
            code = sqlite3_vfs_register(&layer, 1);
            if (code != SQLITE_OK) below = 0;
        }
    }
    sqlite3_mutex_leave(application);
    return code;
}

int CStoreFaultsBegin(const char *path, int operations, int code, long long after, long long times) {
    fault *new_fault = sqlite3_malloc(sizeof(fault));
    if (!new_fault) return 0;
    memset(new_fault, 0, sizeof(*new_fault));
    if (below->xFullPathname(below, path, sizeof(new_fault->path), new_fault->path) & ~(1 << 9)) {
        sqlite3_free(new_fault);
        return 0;
    }
    new_fault->operations = operations;
    new_fault->code = code;
    new_fault->after = after;
    new_fault->times = times;
    sqlite3_mutex_enter(lock);
    new_fault->number = ++last_number;
    new_fault->next = faults;
    faults = new_fault;
    int number = new_fault->number;
    sqlite3_mutex_leave(lock);
    return number;
}

void CStoreFaultsEnd(int number, long long *seen, long long *failed) {
    *seen = *failed = 0;
    sqlite3_mutex_enter(lock);
    for (fault **place = &faults; *place; place = &(*place)->next) {
        if ((*place)->number != number) continue;
        fault *ended = *place;
        *place = ended->next;
        *seen = ended->seen;
        *failed = ended->failed;
        sqlite3_free(ended);
        break;
    }
    sqlite3_mutex_leave(lock);
}
