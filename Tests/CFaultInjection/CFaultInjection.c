#include "CFaultInjection.h"

#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>

/// A file, followed in memory by the file of the layer below.
typedef struct {
    sqlite3_file base;
    char path[1024];
} fault_file;

static sqlite3_vfs *below;
static sqlite3_vfs layer;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t disarmed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int install_code = SQLITE_OK;

static struct {
    char prefix[1024];
    int is_armed, number, code, sticky, count;
    enum fault_action action;
} fault;

static sqlite3_file *file_below(sqlite3_file *file) { return (sqlite3_file *)((fault_file *)file + 1); }

/// Counts an operation. SQLITE_OK lets it through; -1 means that the process is to be killed.
static int next_operation(const char *path) {
    int result = SQLITE_OK;
    pthread_mutex_lock(&lock);
    if (fault.is_armed && path && strncmp(path, fault.prefix, strlen(fault.prefix)) == 0) {
        fault.count++;
        if (fault.count == fault.number || (fault.sticky && fault.count > fault.number))
            result = fault.action == FAULT_KILL ? -1 : fault.code;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static int change(sqlite3_file *file) {
    int code = next_operation(((fault_file *)file)->path);
    if (code == -1) raise(SIGKILL);
    return code;
}

static int fault_close(sqlite3_file *file) {
    sqlite3_file *under = file_below(file);
    return under->pMethods ? under->pMethods->xClose(under) : SQLITE_OK;
}
static int fault_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    return file_below(file)->pMethods->xRead(file_below(file), buffer, count, offset);
}
static int fault_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
    sqlite3_file *under = file_below(file);
    int code = next_operation(((fault_file *)file)->path);
    if (code == SQLITE_OK) return under->pMethods->xWrite(under, buffer, count, offset);
    if (count > 1) under->pMethods->xWrite(under, buffer, count / 2, offset);
    if (code == -1) raise(SIGKILL);
    return code;
}
static int fault_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int code = change(file);
    return code ? code : file_below(file)->pMethods->xTruncate(file_below(file), size);
}
static int fault_sync(sqlite3_file *file, int flags) {
    int code = change(file);
    return code ? code : file_below(file)->pMethods->xSync(file_below(file), flags);
}
static int fault_size(sqlite3_file *file, sqlite3_int64 *size) {
    return file_below(file)->pMethods->xFileSize(file_below(file), size);
}
static int fault_lock(sqlite3_file *file, int kind) {
    return file_below(file)->pMethods->xLock(file_below(file), kind);
}
static int fault_unlock(sqlite3_file *file, int kind) {
    return file_below(file)->pMethods->xUnlock(file_below(file), kind);
}
static int fault_check(sqlite3_file *file, int *result) {
    return file_below(file)->pMethods->xCheckReservedLock(file_below(file), result);
}
static int fault_control(sqlite3_file *file, int operation, void *argument) {
    return file_below(file)->pMethods->xFileControl(file_below(file), operation, argument);
}
static int fault_sector(sqlite3_file *file) {
    return file_below(file)->pMethods->xSectorSize(file_below(file));
}
static int fault_characteristics(sqlite3_file *file) {
    return file_below(file)->pMethods->xDeviceCharacteristics(file_below(file));
}
static int fault_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    int code = extend ? change(file) : SQLITE_OK;
    return code ? code : file_below(file)->pMethods->xShmMap(file_below(file), page, size, extend, memory);
}
static int fault_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    return file_below(file)->pMethods->xShmLock(file_below(file), offset, count, flags);
}
static void fault_barrier(sqlite3_file *file) { file_below(file)->pMethods->xShmBarrier(file_below(file)); }
static int fault_unmap(sqlite3_file *file, int delete) {
    return file_below(file)->pMethods->xShmUnmap(file_below(file), delete);
}
static int fault_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **memory) {
    return file_below(file)->pMethods->xFetch(file_below(file), offset, count, memory);
}
static int fault_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *memory) {
    return file_below(file)->pMethods->xUnfetch(file_below(file), offset, memory);
}

static const sqlite3_io_methods methods = {
    3,           fault_close,   fault_read,  fault_write,    fault_truncate, fault_sync,   fault_size,
    fault_lock,  fault_unlock,  fault_check, fault_control,  fault_sector,   fault_characteristics,
    fault_map,   fault_shm_lock, fault_barrier, fault_unmap, fault_fetch,    fault_unfetch,
};

static int fault_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out) {
    (void)vfs;
    fault_file *opened = (fault_file *)file;
    memset(opened, 0, sizeof(*opened));
    if (path) strncpy(opened->path, path, sizeof(opened->path) - 1);
    int code = below->xOpen(below, path, file_below(file), flags, out);
    if (file_below(file)->pMethods) file->pMethods = &methods;
    return code;
}

static int fault_delete(sqlite3_vfs *vfs, const char *path, int synchronize) {
    (void)vfs;
    int code = next_operation(path);
    if (code == -1) raise(SIGKILL);
    return code ? code : below->xDelete(below, path, synchronize);
}

static void install(void) {
    below = sqlite3_vfs_find(0);
    layer = *below;
    layer.pNext = 0;
    layer.zName = "fault";
    layer.szOsFile = (int)sizeof(fault_file) + below->szOsFile;
    layer.xOpen = fault_open;
    layer.xDelete = fault_delete;
    install_code = sqlite3_vfs_register(&layer, 1);
}

int fault_install(void) {
    sqlite3_initialize();
    pthread_once(&once, install);
    return install_code;
}

void fault_arm(const char *prefix, int number, int code, enum fault_action action, int sticky) {
    pthread_mutex_lock(&lock);
    while (fault.is_armed) pthread_cond_wait(&disarmed, &lock);
    memset(&fault, 0, sizeof(fault));
    strncpy(fault.prefix, prefix, sizeof(fault.prefix) - 1);
    fault.is_armed = 1;
    fault.number = number;
    fault.code = code;
    fault.action = action;
    fault.sticky = sticky;
    pthread_mutex_unlock(&lock);
}

int fault_disarm(void) {
    pthread_mutex_lock(&lock);
    fault.is_armed = 0;
    int count = fault.count;
    pthread_cond_signal(&disarmed);
    pthread_mutex_unlock(&lock);
    return count;
}
