// Ends a test process that hangs. Tests have no time limits: on a busy machine a test may have to wait for any time, but the
// process goes on working meanwhile. A process in which all tests wait for something that never happens does not work. Loops
// that ask again every few milliseconds are next to no work.

#include "include/CWatchdog.h"

int watchdog_limit(void) { return 20; }

int watchdog_silence(int minutes, double seconds) { return seconds < 6 ? minutes + 1 : 0; }

#if defined(_WIN32)

int watchdog_runs(void) { return 0; }

#else

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static int is_running = 0;

int watchdog_runs(void) { return is_running; }

static double processor_time(void) {
    double seconds = 0;
    int who[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    for (int index = 0; index < 2; index++) {
        struct rusage usage;
        if (getrusage(who[index], &usage) != 0) continue;
        seconds += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
        seconds += (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    }
    return seconds;
}

static void *watch(void *nothing) {
    double before = processor_time();
    int minutes = 0;
    while (minutes < watchdog_limit()) {
        // A signal would end the sleep early.
        for (unsigned left = 60; left > 0;) left = sleep(left);
        double now = processor_time();
        minutes = watchdog_silence(minutes, now - before);
        before = now;
    }
    fprintf(stderr, "The tests hang: the process %d did nothing for %d minutes. The last test that began did not end.\n",
            (int)getpid(), minutes);
    abort();
    return nothing;
}

/// Runs when the process starts, so that no test has to start the watchdog.
__attribute__((constructor)) static void start(void) {
    pthread_t thread;
    is_running = pthread_create(&thread, NULL, watch, NULL) == 0;
    if (is_running) pthread_detach(thread);
}

#endif
